import { randomBytes } from 'node:crypto';

/** So that nobody can prepare keys that share a hash: another for each process. */
const SEED = randomBytes(4).readInt32LE();
/** With more keys of one hash, further ones are made anew each time. */
const LONGEST_CHAIN = 8;

/**
 * Entries by a run of bytes, such as the encoded labels of a series, found without making a text of them. Bounded in two
 * generations: what is not asked for while `size` others come goes.
 */
export interface BytesCache<Entry> {
  /** The entry for the bytes from `start` to `end`; made by `make` when it is not known. */
  of(bytes: DataView, start: number, end: number, make: () => Entry): Entry;
}

interface Kept<Entry> {
  key: DataView;
  entry: Entry;
  /** Another with the same hash. */
  next: Kept<Entry> | undefined;
  /** Of these and those after it. */
  length: number;
}

export function createBytesCache<Entry>(size = 1_000_000): BytesCache<Entry> {
  let young = new Map<number, Kept<Entry>>();
  let old = new Map<number, Kept<Entry>>();
  let kept = 0;

  const keep = (hash: number, key: DataView, entry: Entry) => {
    if (kept >= size) {
      old = young;
      young = new Map();
      kept = 0;
    }
    const next = young.get(hash);
    const length = (next?.length ?? 0) + 1;
    if (length > LONGEST_CHAIN) return;
    young.set(hash, { key, entry, next, length });
    kept++;
  };
  return {
    of(bytes, start, end, make) {
      const hash = hashOf(bytes, start, end);
      const found = find(young.get(hash), bytes, start, end);
      if (found !== undefined) return found.entry;
      const aged = find(old.get(hash), bytes, start, end);
      if (aged !== undefined) {
        keep(hash, aged.key, aged.entry);
        return aged.entry;
      }
      const entry = make();
      keep(hash, copyOf(bytes, start, end), entry);
      return entry;
    },
  };
}

function find<Entry>(
  first: Kept<Entry> | undefined,
  bytes: DataView,
  start: number,
  end: number,
): Kept<Entry> | undefined {
  for (let one = first; one !== undefined; one = one.next) if (isEqual(one.key, bytes, start, end)) return one;
  return undefined;
}

/** Over words of 32 bits, then the bytes that are left; 30 bits, which the engine keeps without a box. */
function hashOf(bytes: DataView, start: number, end: number): number {
  let hash = SEED ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ bytes.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes.getUint8(at), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) & 0x3fffffff;
}

function isEqual(key: DataView, bytes: DataView, start: number, end: number): boolean {
  const length = end - start;
  if (key.byteLength !== length) return false;
  let at = 0;
  for (; at + 4 <= length; at += 4) if (key.getInt32(at, true) !== bytes.getInt32(start + at, true)) return false;
  for (; at < length; at++) if (key.getUint8(at) !== bytes.getUint8(start + at)) return false;
  return true;
}

function copyOf(bytes: DataView, start: number, end: number): DataView {
  const from = new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
  const copy = Buffer.from(from); // in memory shared with other small ones
  return new DataView(copy.buffer, copy.byteOffset, copy.byteLength);
}
