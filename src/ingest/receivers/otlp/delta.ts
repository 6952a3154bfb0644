import { createSemaphore } from '../../../base/index.ts';
import { createSeriesCache } from '../wire/index.ts';

/** One request's work on delta streams: seen by later requests only when it was committed. */
export interface DeltaTurn {
  /** Whether a point at this time follows the last one of its stream; notes it when so. */
  isNewer(stream: string, timeMs: number): boolean;
  /** Adds to the series' running total and returns the total. */
  add(series: string, timeMs: number, value: number): number;
}

/** Running totals that turn delta temporality into cumulative. A series forgotten for lack of space starts again at zero, which readers see as a counter reset. */
export interface DeltaTotals {
  /**
   * Runs one request. Its additions are kept when `work` resolves and forgotten when it throws, since the sender will
   * then come again with the same points. Requests take turns.
   */
  take<T>(work: (turn: DeltaTurn) => Promise<T>): Promise<T>;
}

export function createDeltaTotals(size = 200_000): DeltaTotals {
  const totals = createSeriesCache<number>(size);
  const lastTimes = createSeriesCache<number>(size);
  const turns = createSemaphore(1);
  return {
    take: (work) =>
      turns.run(async () => {
        const newTotals = new Map<string, number>();
        const newTimes = new Map<string, number>();
        const result = await work({
          isNewer(stream, timeMs) {
            const last = newTimes.get(stream) ?? lastTimes.get(stream);
            if (last !== undefined && timeMs <= last) return false;
            newTimes.set(stream, timeMs);
            return true;
          },
          add(series, _timeMs, value) {
            const total = (newTotals.get(series) ?? totals.get(series) ?? 0) + value;
            newTotals.set(series, total);
            return total;
          },
        });
        for (const [series, total] of newTotals) totals.set(series, total);
        for (const [stream, time] of newTimes) lastTimes.set(stream, time);
        return result;
      }),
  };
}
