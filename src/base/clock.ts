/** Where time comes from. Everything that reads the time or waits takes a Clock, so that tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

export interface ManualClock extends Clock {
  /** Moves time forward, waking sleepers in the order of their deadlines, and lets their continuations run. */
  advance(ms: number): Promise<void>;
}

/** A clock that stands still until `advance` is called. */
export function manualClock(startMs: number): ManualClock {
  let now = startMs;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now - startMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            reject(signal.reason);
          },
          { once: true },
        );
      }),
    async advance(ms) {
      const target = now + ms;
      for (;;) {
        const due = sleepers.filter((s) => s.at <= target).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        now = Math.max(now, due.at);
        sleepers = sleepers.filter((s) => s !== due);
        due.wake();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      now = target;
    },
  };
}
