import { type Clock, deadline } from '../../base/index.ts';

const ASK_EVERY_MS = 200;
const ANSWER_TIMEOUT_MS = 5000;
const OLDEST = /^trifocal_spool_oldest_seconds(?:\{[^}]*\})? (\S+)$/m;

/**
 * Resolves when everything that Trifocal acknowledged before this call can be asked for: what still waits in its spool, by
 * its own metrics, is younger. Resolves with false when that takes longer than `limitMs`, or when its metrics do not tell.
 */
export async function whenStored(options: {
  /** Base URL. */
  trifocal: string;
  limitMs: number;
  clock: Clock;
  signal: AbortSignal;
}): Promise<boolean> {
  const { trifocal, limitMs, clock, signal } = options;
  const calledAt = clock.monotonic();
  for (;;) {
    const askedAt = clock.monotonic();
    const oldestMs = await oldestWaiting(trifocal, signal);
    if (oldestMs < askedAt - calledAt) return true;
    if (clock.monotonic() - calledAt > limitMs) return false;
    await clock.sleep(ASK_EVERY_MS, signal);
  }
}

/** Age of the oldest batch that is not in the store yet, in milliseconds; infinite when that is not known. */
async function oldestWaiting(trifocal: string, signal: AbortSignal): Promise<number> {
  try {
    const response = await fetch(`${trifocal}/metrics`, { signal: deadline(ANSWER_TIMEOUT_MS, signal) });
    const [, seconds] = OLDEST.exec(await response.text()) ?? [];
    return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
  } catch (error) {
    if (signal.aborted) throw error;
    return Number.POSITIVE_INFINITY;
  }
}
