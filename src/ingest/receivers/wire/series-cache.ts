import type { Series } from '../../../model/index.ts';

/**
 * Series by a key that its receiver chooses (raw label bytes, joined labels), so that labels are decoded once and the
 * same series stays the same object. Bounded in two generations: what is not asked for while `size` others come goes.
 */
export interface SeriesCache<Entry = Series> {
  get(key: string): Entry | undefined;
  set(key: string, entry: Entry): void;
  clear(): void;
}

export function createSeriesCache<Entry = Series>(size = 500_000): SeriesCache<Entry> {
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();
  const set = (key: string, entry: Entry) => {
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(key, entry);
  };
  return {
    set,
    clear() {
      young = new Map();
      old = new Map();
    },
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const aged = old.get(key);
      if (aged !== undefined) set(key, aged);
      return aged;
    },
  };
}
