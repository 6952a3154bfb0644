/** Counts in the latest of equal slots of time; older ones are forgotten. */
export class RollingCount {
  readonly #slotMs: number;
  readonly #counts: Float64Array;
  /** The number of the slot that is filled now. */
  #newest = Number.NEGATIVE_INFINITY;

  constructor(slots: number, slotMs: number) {
    this.#slotMs = slotMs;
    this.#counts = new Float64Array(slots);
  }

  add(count: number, nowMs: number): void {
    this.#roll(nowMs);
    const at = this.#index(this.#newest);
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }

  sum(nowMs: number): number {
    this.#roll(nowMs);
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  /** Slot by slot, the oldest first. */
  list(nowMs: number): number[] {
    this.#roll(nowMs);
    const { length } = this.#counts;
    return Array.from({ length }, (_, i) => this.#counts[this.#index(this.#newest - length + 1 + i)] ?? 0);
  }

  /** Time that goes back changes nothing: what comes then is counted in the newest slot. */
  #roll(nowMs: number): void {
    const slot = Math.floor(nowMs / this.#slotMs);
    if (slot - this.#newest >= this.#counts.length) this.#counts.fill(0);
    else for (let next = this.#newest + 1; next <= slot; next++) this.#counts[this.#index(next)] = 0;
    this.#newest = Math.max(slot, this.#newest);
  }

  #index(slot: number): number {
    const { length } = this.#counts;
    return ((slot % length) + length) % length;
  }
}
