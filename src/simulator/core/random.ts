/**
 * Random numbers that depend only on the seed and the stream's name, so that a new consumer never changes what the
 * others see. Generator: sfc32 (Chris Doty-Humphrey, PractRand), seeded by FNV-1a of the name.
 */
export interface Random {
  /** In [0, 1). */
  next(): number;
  exponential(mean: number): number;
  /** Standard normal. */
  normal(): number;
  lognormal(median: number, sigma: number): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  /** Lower-case hex. */
  hex(digits: number): string;
}

export function randomStream(seed: number, name: string): Random {
  const next = sfc32(seed >>> 0, hash(name), hash(`${name}#`), 0x9e3779b9);
  for (let i = 0; i < 12; i++) next();
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    normal,
    exponential: (mean) => -Math.log(1 - next()) * mean,
    lognormal: (median, sigma) => median * Math.exp(sigma * normal()),
    below: (limit) => Math.floor(next() * limit),
    hex(digits) {
      let text = '';
      while (text.length < digits) {
        text += Math.floor(next() * 0x100000000)
          .toString(16)
          .padStart(8, '0');
      }
      return text.slice(0, digits);
    },
  };
}

/** One of the items, each as likely as its weight. The list must not be empty. */
export function pickWeighted<T extends { weight: number }>(random: Random, items: readonly T[]): T {
  let left = random.next() * items.reduce((sum, item) => sum + item.weight, 0);
  for (const item of items) {
    left -= item.weight;
    if (left < 0) return item;
  }
  const last = items[items.length - 1];
  if (last === undefined) throw new Error('nothing to pick from');
  return last;
}

/** A version 4 UUID from the stream. */
export function uuid(random: Random): string {
  const hex = random.hex(32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

function sfc32(a: number, b: number, c: number, counter: number): () => number {
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 0x100000000;
  };
}
