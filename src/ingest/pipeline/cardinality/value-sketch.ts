/**
 * How many distinct values a label has, in bounded memory: exact up to 64, beyond that HyperLogLog with 1,024 registers,
 * whose standard error is 1.04 / sqrt(1024) = 3.3 % (Flajolet et al. 2007, with its small-range correction).
 */
const EXACT = 64;
const REGISTERS = 1024;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

export class ValueSketch {
  #exact: Set<number> | undefined = new Set();
  #registers: Uint8Array | undefined;

  /** Takes a 32-bit hash of the value, as `hashText` gives it. */
  add(hash: number): void {
    if (this.#registers !== undefined) addTo(this.#registers, hash);
    else if (this.#exact !== undefined) {
      this.#exact.add(hash | 0); // small integers are kept without a heap number
      if (this.#exact.size > EXACT) this.#promote();
    }
  }

  /** Adds what another sketch has seen. */
  merge(other: ValueSketch): void {
    if (other.#registers === undefined) {
      for (const hash of other.#exact ?? []) this.add(hash);
      return;
    }
    const mine = this.#registers ?? this.#promote();
    for (let i = 0; i < REGISTERS; i++)
      if ((other.#registers[i] ?? 0) > (mine[i] ?? 0)) mine[i] = other.#registers[i] ?? 0;
  }

  count(): number {
    return this.#registers === undefined ? (this.#exact?.size ?? 0) : Math.round(estimate(this.#registers));
  }

  #promote(): Uint8Array {
    const registers = new Uint8Array(REGISTERS);
    for (const hash of this.#exact ?? []) addTo(registers, hash);
    this.#exact = undefined;
    this.#registers = registers;
    return registers;
  }
}

/** 32 well-mixed bits of a text: FNV-1a, finished as MurmurHash3 does. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function addTo(registers: Uint8Array, hash: number): void {
  const index = hash & (REGISTERS - 1);
  const rank = Math.clz32(hash >>> 10) - 9; // 22 bits are left, so their leading zeros begin at the 11th
  if (rank > (registers[index] ?? 0)) registers[index] = rank;
}

function estimate(registers: Uint8Array): number {
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty++;
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
  return raw <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : raw;
}
