/** 64 bits as two unsigned halves. */
export interface Hash64 {
  low: number;
  high: number;
}

/**
 * A 64-bit hash over text, part by part: two 32-bit lanes that feed each other, finished with MurmurHash3's fmix32.
 * Stored in the database, so it never changes. Spread well, but not safe against somebody who looks for collisions.
 */
export class TextHash {
  private a = 0x9e3779b9 | 0;
  private b = 0x85ebca6b | 0;

  /** Adds a part; parts are told apart, so `ab`,`c` differs from `a`,`bc`. */
  add(text: string): void {
    let { a, b } = this;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0xcc9e2d51);
      b = Math.imul(b ^ code, 0x1b873593);
      a ^= b >>> 15;
      b ^= a >>> 13;
    }
    a = Math.imul(a ^ (text.length + 0x10000), 0xcc9e2d51);
    b = Math.imul(b ^ (text.length + 0x10000), 0x1b873593);
    this.a = a ^ (b >>> 16);
    this.b = b ^ (a >>> 17);
  }

  finish(): Hash64 {
    const a = mix(this.a ^ Math.imul(this.b, 0x9e3779b1));
    const b = mix(this.b ^ Math.imul(a, 0x85ebca77));
    return { low: a >>> 0, high: b >>> 0 };
  }
}

/** MurmurHash3's finaliser. */
function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
