import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop of a thread was within the last one to two minutes, in seconds. */
export interface LoopDelay {
  p50Seconds: number;
  p99Seconds: number;
  maxSeconds: number;
}

const LOOP_WINDOW_MS = 60_000;

/** Watches the event loop of the thread it is called in, over the last one to two minutes. */
export function watchLoop(): () => Promise<LoopDelay> {
  const resolutionMs = 10;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The histogram holds the time between two ticks of a timer, so a loop that is never late shows the resolution.
  const late = (nanoseconds: number) =>
    Number.isNaN(nanoseconds) ? 0 : Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3);
  const now = (): LoopDelay => ({
    p50Seconds: late(delay.percentile(50)),
    p99Seconds: late(delay.percentile(99)),
    maxSeconds: delay.count === 0 ? 0 : late(delay.max),
  });
  let before = now();
  setInterval(() => {
    before = now();
    delay.reset();
  }, LOOP_WINDOW_MS).unref();
  return async () => {
    const current = now();
    return {
      p50Seconds: Math.max(before.p50Seconds, current.p50Seconds),
      p99Seconds: Math.max(before.p99Seconds, current.p99Seconds),
      maxSeconds: Math.max(before.maxSeconds, current.maxSeconds),
    };
  };
}
