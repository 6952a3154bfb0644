const SLOTS = 12;
/** The first six are the easiest to tell apart: they are given out first. */
const FIRST = 6;

/**
 * Gives each key a colour slot (0 to 11) from a hash of the key, so that one thing has one colour on every chart of a
 * page and keeps it whatever else comes or goes. When a chart's slot is taken by another, the next free one is used and
 * remembered.
 */
export function createSlots(): (keys: readonly string[]) => Map<string, number> {
  const known = new Map<string, number>();
  return (keys) => {
    // In the order of the keys themselves, so that the order of an answer can't change who gets which slot.
    for (const key of [...new Set(keys)].sort()) {
      if (known.has(key)) continue;
      const taken = new Set(known.values());
      known.set(key, freeSlot(hashOf(key), taken));
    }
    return new Map(keys.map((key) => [key, known.get(key) ?? 0]));
  };
}

function freeSlot(hash: number, taken: ReadonlySet<number>): number {
  const first = hash % FIRST;
  for (let i = 0; i < FIRST; i++) if (!taken.has((first + i) % FIRST)) return (first + i) % FIRST;
  const later = FIRST + (hash % (SLOTS - FIRST));
  for (let i = 0; i < SLOTS - FIRST; i++) {
    const slot = FIRST + ((later - FIRST + i) % (SLOTS - FIRST));
    if (!taken.has(slot)) return slot;
  }
  return hash % SLOTS;
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
  return hash;
}
