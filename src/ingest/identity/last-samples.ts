import type { Clock } from '../../base/index.ts';
import type { Series } from '../../model/index.ts';
import { type NewestSamples, seriesId } from '../../store/index.ts';

/** A series that showed nothing for one to two of these may be forgotten. */
const GENERATION_MS = 3_600_000;
const MOST_AHEAD = 10_000;

/**
 * Time and value of the last sample of very many series, in flat arrays: 29 bytes each, and 4 to 16 of the hash table that
 * finds them. Objects would take several times that. A place is a number that holds until the next batch begins.
 */
export class LastSamples {
  /** No series that is not here has a newer sample. Infinity while nobody knows what is stored. */
  floorMs = Number.POSITIVE_INFINITY;
  private readonly clock: Clock;
  private readonly maxSeries: number;
  private generation = 0;
  private used = 0;
  private room = 0;
  private lows = new Uint32Array(0);
  private highs = new Uint32Array(0);
  private times = new Float64Array(0);
  /** Of values: two halves each, so that the payload of a NaN survives. */
  private bits = new Uint32Array(0);
  /** Of the batch that set it; 0 when it may not be stored. */
  private numbers = new Uint32Array(0);
  private seen = new Uint8Array(0);
  /** By hash: place and one, 0 where nothing is. At most half is taken. */
  private table = new Uint32Array(1024);

  /** What floorMs must be at least when it becomes known: the newest of samples that came meanwhile and found no place. */
  private passedMs = Number.NEGATIVE_INFINITY;
  /** Of those whose clocks run ahead, by series, so that they are not taken for all others' floor. */
  private readonly passedAhead = new Map<string, { low: number; high: number; timeMs: number }>();

  constructor(options: { clock: Clock; maxSeries: number }) {
    this.clock = options.clock;
    this.maxSeries = options.maxSeries;
  }

  size(): number {
    return this.used;
  }

  /** To be called once. What was asked about may have been appended up to now. */
  learn({ newestMs, ahead }: NewestSamples): void {
    this.floorMs = Math.max(newestMs, this.passedMs);
    const known = ahead.map(({ id, timeMs }) => ({ ...id, timeMs }));
    for (const { low, high, timeMs } of [...known, ...this.passedAhead.values()]) {
      const found = this.find(low, high);
      const place = found < 0 ? this.add(low, high) : found;
      // Nothing is known of its value.
      if (timeMs > this.timeOf(place)) this.set(place, timeMs, 0, 0, 0);
    }
    this.passedAhead.clear();
  }

  /** A sample that is not newer than the floor, of a series that is not here, is on its way to the store. */
  pass(low: number, high: number, timeMs: number): void {
    if (this.floorMs !== Number.POSITIVE_INFINITY || timeMs <= this.passedMs) return;
    const nowMs = this.clock.now();
    if (timeMs <= nowMs || this.passedAhead.size >= MOST_AHEAD) {
      this.passedMs = timeMs;
      return;
    }
    const key = `${low} ${high}`;
    const before = this.passedAhead.get(key)?.timeMs ?? Number.NEGATIVE_INFINITY;
    this.passedAhead.set(key, { low, high, timeMs: Math.max(before, timeMs) });
  }

  beginBatch(): void {
    this.generation = Math.floor(this.clock.monotonic() / GENERATION_MS) & 0xff;
    if (this.used >= this.maxSeries) this.makeRoom();
  }

  /** The place of a series, -1 when it is not here. */
  find(low: number, high: number): number {
    const mask = this.table.length - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const place = (this.table[at] ?? 0) - 1;
      if (place < 0 || (this.lows[place] === low && this.highs[place] === high)) return place;
    }
  }

  /** A place for a series that has none; to be set at once. */
  add(low: number, high: number): number {
    if (this.used === this.room) this.grow();
    const place = this.used++;
    this.lows[place] = low;
    this.highs[place] = high;
    this.times[place] = Number.NEGATIVE_INFINITY;
    if (this.used * 2 > this.table.length) this.index(this.table.length * 2);
    else this.enter(place);
    return place;
  }

  set(place: number, timeMs: number, lowBits: number, highBits: number, number: number): void {
    this.times[place] = timeMs;
    this.bits[place * 2] = lowBits;
    this.bits[place * 2 + 1] = highBits;
    this.numbers[place] = number;
    this.seen[place] = this.generation;
  }

  timeOf(place: number): number {
    return this.times[place] ?? 0;
  }

  numberOf(place: number): number {
    return this.numbers[place] ?? 0;
  }

  isValue(place: number, lowBits: number, highBits: number): boolean {
    return this.bits[place * 2] === lowBits && this.bits[place * 2 + 1] === highBits;
  }

  valueOf(place: number): number {
    return new Float64Array(this.bits.slice(place * 2, place * 2 + 2).buffer)[0] ?? 0;
  }

  /** What the batch of that number set may not be stored. */
  doubt(series: readonly Series[], number: number): void {
    for (const one of series) {
      const { low, high } = seriesId(one);
      const place = this.find(low, high);
      if (place >= 0 && this.numbers[place] === number) this.numbers[place] = 0;
    }
  }

  private grow(): void {
    this.room = Math.max(1024, Math.ceil(this.room * 1.25));
    this.lows = enlarged(this.lows, new Uint32Array(this.room));
    this.highs = enlarged(this.highs, new Uint32Array(this.room));
    this.times = enlarged(this.times, new Float64Array(this.room));
    this.bits = enlarged(this.bits, new Uint32Array(this.room * 2));
    this.numbers = enlarged(this.numbers, new Uint32Array(this.room));
    this.seen = enlarged(this.seen, new Uint8Array(this.room));
  }

  private enter(place: number): void {
    const mask = this.table.length - 1;
    let at = (this.lows[place] ?? 0) & mask;
    while (this.table[at] !== 0) at = (at + 1) & mask;
    this.table[at] = place + 1;
  }

  private index(length: number): void {
    this.table = new Uint32Array(length);
    for (let place = 0; place < this.used; place++) this.enter(place);
  }

  /** Forgets the series that are silent; all, if none is. */
  private makeRoom(): void {
    const isRecent = (place: number) => ((this.generation - (this.seen[place] ?? 0)) & 0xff) < 2;
    let kept = 0;
    for (let place = 0; place < this.used; place++) {
      if (isRecent(place)) kept++;
    }
    const forgetAll = kept > this.maxSeries * 0.9;
    let next = 0;
    for (let place = 0; place < this.used; place++) {
      if (forgetAll || !isRecent(place)) {
        this.floorMs = Math.max(this.floorMs, this.times[place] ?? 0);
        continue;
      }
      this.lows[next] = this.lows[place] ?? 0;
      this.highs[next] = this.highs[place] ?? 0;
      this.times[next] = this.times[place] ?? 0;
      this.bits.copyWithin(next * 2, place * 2, place * 2 + 2);
      this.numbers[next] = this.numbers[place] ?? 0;
      this.seen[next] = this.seen[place] ?? 0;
      next++;
    }
    this.used = next;
    this.index(this.table.length);
  }
}

function enlarged<T extends Uint8Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
