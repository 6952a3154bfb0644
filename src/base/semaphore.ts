/** Lets at most `limit` pieces of work run at once; the others wait in order of arrival. */
export interface Semaphore {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

export function createSemaphore(limit: number): Semaphore {
  let running = 0;
  const waiters: { start: () => void; cancelled: boolean }[] = [];
  const release = () => {
    running--;
    for (let next = waiters.shift(); next; next = waiters.shift()) {
      if (next.cancelled) continue;
      running++;
      next.start();
      return;
    }
  };
  const acquire = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (running < limit) {
        running++;
        return resolve();
      }
      const waiter = { start: resolve, cancelled: false };
      waiters.push(waiter);
      signal?.addEventListener(
        'abort',
        () => {
          waiter.cancelled = true;
          reject(signal.reason);
        },
        { once: true },
      );
    });
  return {
    async run(work, signal) {
      await acquire(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiters.filter((w) => !w.cancelled).length;
    },
  };
}
