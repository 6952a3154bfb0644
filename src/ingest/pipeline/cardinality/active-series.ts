/**
 * Which series were seen in this generation or the one before, by their 53-bit hashes: ten bytes a slot in flat arrays, about 20 MB
 * for a million series. A slot says when its series was seen last, so a generation ends without touching any;
 * what is older is dropped when a shard grows. There are 256 shards, so no growth takes longer than a millisecond.
 */
export interface ActiveSeries {
  seen(hash: number): 'now' | 'before' | 'never';
  /** Marks the series as seen in this generation. */
  add(hash: number): void;
  nextGeneration(): void;
}

const SHARDS = 256;
const LEAST_SLOTS = 16;
const FULL = 0.7;

interface Shard {
  hashes: Float64Array;
  /** The generation in which the series of a slot was seen last; 0 is an empty slot. 65,535 of an hour are seven years. */
  seenIn: Uint16Array;
  used: number;
}

export function createActiveSeries(): ActiveSeries {
  let generation = 2;
  const shards = Array.from({ length: SHARDS }, () => emptyShard(LEAST_SLOTS));

  const shardOf = (hash: number): Shard => shards[hash % SHARDS] ?? emptyShard(LEAST_SLOTS);

  const makeRoom = (shard: Shard) => {
    const { hashes, seenIn } = shard;
    const isLive = (slot: number) => (seenIn[slot] ?? 0) >= generation - 1;
    let live = 0;
    for (let slot = 0; slot < seenIn.length; slot++) if (isLive(slot)) live++;
    Object.assign(shard, emptyShard(slotsFor(live + 1)));
    for (let slot = 0; slot < seenIn.length; slot++) {
      if (!isLive(slot)) continue;
      const hash = hashes[slot] ?? 0;
      const free = find(shard, hash);
      shard.hashes[free] = hash;
      shard.seenIn[free] = seenIn[slot] ?? 0;
      shard.used++;
    }
  };

  return {
    seen(hash) {
      const shard = shardOf(hash);
      const seen = shard.seenIn[find(shard, hash)] ?? 0;
      return seen === generation ? 'now' : seen !== 0 && seen === generation - 1 ? 'before' : 'never';
    },
    add(hash) {
      const shard = shardOf(hash);
      const slot = find(shard, hash);
      if (shard.seenIn[slot] === 0) {
        shard.hashes[slot] = hash;
        shard.used++;
      }
      shard.seenIn[slot] = generation;
      if (shard.used > shard.seenIn.length * FULL) makeRoom(shard);
    },
    nextGeneration() {
      generation++;
    },
  };
}

function emptyShard(slots: number): Shard {
  return { hashes: new Float64Array(slots), seenIn: new Uint16Array(slots), used: 0 };
}

/** Half full at most, so that the next growth is far. */
function slotsFor(series: number): number {
  return Math.max(LEAST_SLOTS, 2 ** Math.ceil(Math.log2(series * 2)));
}

/** The slot of the hash, or the free one where it would go. */
function find({ hashes, seenIn }: Shard, hash: number): number {
  const mask = seenIn.length - 1;
  // The upper 32 bits; the lowest chose the shard.
  let slot = Math.floor(hash / 0x200000) & mask;
  while (seenIn[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}
