import type { Clock } from '../../base/index.ts';
import { formatLabels, formatTime, type SampleBatch, type Series } from '../../model/index.ts';
import { type NewestSamples, seriesId } from '../../store/index.ts';
import { keepSamples } from '../keep-samples.ts';
import type { Rejection } from '../sink.ts';
import { LastSamples } from './last-samples.ts';

/** What is to be done with the samples of a batch. */
export interface IdentifiedSamples {
  /** Newer than all that came before of their series. The batch as it came, when all are. */
  fresh: SampleBatch;
  /** May be stored already, which only the store can tell. */
  late?: SampleBatch;
  /** Another value of this series and time came before; the first stays. What came with the same value is just left out. */
  rejected?: Rejection;
  /** To be called once it is known what became of the samples. */
  settle(outcome: 'on disk' | 'refused'): void;
}

/** Tells samples that come again, or out of order, from new ones, without asking the store for those in order. */
export interface RecentSamples {
  identify(batch: SampleBatch): IdentifiedSamples;
  /** What is stored, asked after this began; until then all samples count as late. To be called once. */
  learn(stored: NewestSamples): void;
  /** Series that are remembered. */
  size(): number;
}

const FRESH = 0;
const SAME = 1;
const OTHER_VALUE = 2;
const LATE = 3;

/** `maxSeries`: how many are remembered; with more, those that were silent for long are forgotten. */
export function createRecentSamples(options: { clock: Clock; maxSeries: number }): RecentSamples {
  const last = new LastSamples(options);
  /** Numbers of batches that are not on disk yet. */
  const underWay = new Set<number>();
  let newest = 0;

  const identify = (batch: SampleBatch): IdentifiedSamples => {
    const number = ++newest;
    underWay.add(number);
    const { seriesOf, timesMs, values } = batch;
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
    /** By series of the batch: its place, one higher; 0 when it was not looked up yet. */
    const places = new Uint32Array(batch.series.length);
    let verdicts: Uint8Array | undefined;
    let example = '';
    last.beginBatch();
    for (let i = 0; i < values.length; i++) {
      const of = seriesOf[i] ?? 0;
      const series = batch.series[of];
      if (series === undefined) continue;
      const time = timesMs[i] ?? 0;
      let place = (places[of] ?? 0) - 1;
      if (place < 0) {
        const { low, high } = seriesId(series);
        place = last.find(low, high);
        // Not remembered before it is newer than all: an older one says nothing of what is stored after it.
        if (place < 0 && time > last.floorMs) place = last.add(low, high);
        places[of] = place + 1;
        if (place < 0) last.pass(low, high, time);
      }
      const lastMs = place < 0 ? last.floorMs : last.timeOf(place);
      if (time > lastMs) {
        last.set(place, time, bits[i * 2] ?? 0, bits[i * 2 + 1] ?? 0, number);
        continue;
      }
      verdicts ??= new Uint8Array(values.length);
      const setBy = place < 0 ? 0 : last.numberOf(place);
      // What is not on disk yet may never be: then only the store knows what was first.
      if (time < lastMs || setBy === 0 || (setBy !== number && underWay.has(setBy))) verdicts[i] = LATE;
      else if (last.isValue(place, bits[i * 2] ?? 0, bits[i * 2 + 1] ?? 0)) verdicts[i] = SAME;
      else {
        verdicts[i] = OTHER_VALUE;
        example ||= duplicateText(series, time, last.valueOf(place), values[i] ?? 0);
      }
    }
    const settle = (outcome: 'on disk' | 'refused') => {
      underWay.delete(number);
      if (outcome === 'refused') last.doubt(batch.series, number);
    };
    if (verdicts === undefined) return { fresh: batch, settle };
    const found = verdicts;
    const late = found.includes(LATE) ? keepSamples(batch, (i) => found[i] === LATE) : undefined;
    const count = found.reduce((sum, verdict) => sum + (verdict === OTHER_VALUE ? 1 : 0), 0);
    return {
      fresh: keepSamples(batch, (i) => found[i] === FRESH),
      settle,
      ...(late === undefined ? {} : { late }),
      ...(count === 0 ? {} : { rejected: { signal: 'samples', reason: 'duplicate_value', count, example } }),
    };
  };
  return { identify, learn: (stored) => last.learn(stored), size: () => last.size() };
}

/** The sentence about a sample whose time has another value already. */
export function duplicateText(series: Pick<Series, 'labels'>, timeMs: number, kept: number, dropped: number): string {
  const name = formatLabels(series.labels).slice(0, 500);
  return `sample of ${name} at ${timeText(timeMs)} has value ${dropped}, but ${kept} came before and stays`;
}

function timeText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? formatTime(ms) : `${ms} ms`;
}
