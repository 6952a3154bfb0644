import type { Series } from '../../../model/index.ts';

/**
 * Series by a key that its receiver chooses (raw label bytes, joined labels), so that labels are decoded once and the
 * same series stays the same object. Bounded in two generations: what is not asked for while `size` others come, or others
 * whose keys have `256 * size` characters, goes.
 */
export interface SeriesCache<Entry = Series> {
  get(key: string): Entry | undefined;
  set(key: string, entry: Entry): void;
  clear(): void;
}

/** Keys of most series are shorter. */
const CHARACTERS_PER_KEY = 256;

export function createSeriesCache<Entry = Series>(size = 500_000): SeriesCache<Entry> {
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();
  let characters = 0;
  const set = (key: string, entry: Entry) => {
    if (young.size >= size || characters + key.length > size * CHARACTERS_PER_KEY) {
      old = young;
      young = new Map();
      characters = 0;
    }
    young.set(key, entry);
    characters += key.length;
  };
  return {
    set,
    clear() {
      young = new Map();
      old = new Map();
      characters = 0;
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
