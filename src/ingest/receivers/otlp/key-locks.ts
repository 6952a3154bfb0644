/** Lets pieces of work that share a key run one after the other, in order of arrival; others do not wait for them. */
export interface KeyLocks {
  hold<T>(keys: ReadonlySet<string>, work: () => Promise<T>): Promise<T>;
}

export function createKeyLocks(): KeyLocks {
  /** By key, when the last that asked for it is done. Never rejected. */
  const lastOf = new Map<string, Promise<void>>();
  return {
    async hold(keys, work) {
      const before = [...keys].flatMap((key) => lastOf.get(key) ?? []);
      let release = () => {};
      const done = new Promise<void>((resolve) => {
        release = resolve;
      });
      // All at once, so that nobody holds one key while waiting for another that is held by who waits for the first.
      for (const key of keys) lastOf.set(key, done);
      await Promise.all(before);
      try {
        return await work();
      } finally {
        release();
        for (const key of keys) if (lastOf.get(key) === done) lastOf.delete(key);
      }
    },
  };
}
