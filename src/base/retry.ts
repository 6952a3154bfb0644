import type { Clock } from './clock.ts';

export interface Backoff {
  /** Delay before the second try, in milliseconds. */
  firstMs: number;
  maxMs: number;
  /** Each delay is this many times the one before. */
  factor: number;
}

/** Delay in milliseconds after the given number of failures (1 = the first), with full jitter from `random` in [0,1). */
export function backoffDelay(backoff: Backoff, failures: number, random: number): number {
  const ceiling = Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** (failures - 1));
  return ceiling / 2 + (ceiling / 2) * random;
}

/** Runs `work` until it succeeds, `giveUp` says so, or the signal aborts. Throws the last error. */
export async function retry<T>(options: {
  work: (attempt: number) => Promise<T>;
  clock: Clock;
  backoff: Backoff;
  giveUp?: (error: unknown, attempt: number) => boolean;
  signal?: AbortSignal;
}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await options.work(attempt);
    } catch (error) {
      if (options.signal?.aborted || options.giveUp?.(error, attempt)) throw error;
      await options.clock.sleep(backoffDelay(options.backoff, attempt, Math.random()), options.signal);
    }
  }
}
