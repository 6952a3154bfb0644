/** Lets at most `limit` pieces of work run at once; the others wait in order of arrival. */
export interface Semaphore {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

export function createSemaphore(limit: number): Semaphore {
  let running = 0;
  const waiters = new Set<() => void>();
  const release = () => {
    running--;
    const [next] = waiters;
    if (!next) return;
    waiters.delete(next);
    running++;
    next();
  };
  const acquire = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (running < limit) {
        running++;
        return resolve();
      }
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiters.delete(start);
        reject(signal?.reason);
      };
      waiters.add(start);
      signal?.addEventListener('abort', leave, { once: true });
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
      return waiters.size;
    },
  };
}
