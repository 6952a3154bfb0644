import { type SampleBatch, type Series, setStaleAt } from '../../../model/index.ts';

/** Collects samples into columns. Values go in as numbers, as bits, or as the stale marker. */
export class SampleBuilder {
  readonly series: Series[] = [];
  length = 0;
  private seriesOf: Uint32Array;
  private timesMs: Float64Array;
  private values: Float64Array;
  /** The same memory as the values, as pairs of 32-bit words, low one first. */
  words: Uint32Array;

  constructor(capacity = 256) {
    this.seriesOf = new Uint32Array(capacity);
    this.timesMs = new Float64Array(capacity);
    this.values = new Float64Array(capacity);
    this.words = new Uint32Array(this.values.buffer);
  }

  /** Adds a series and returns its index. */
  addSeries(series: Series): number {
    return this.series.push(series) - 1;
  }

  add(series: number, timeMs: number, value: number): void {
    const index = this.place(series, timeMs);
    this.values[index] = value;
  }

  addStale(series: number, timeMs: number): void {
    const index = this.place(series, timeMs);
    setStaleAt(this.values, index);
  }

  /** Adds a sample whose value the caller writes into `words` at the returned index. */
  place(series: number, timeMs: number): number {
    if (this.length === this.seriesOf.length) this.grow();
    const index = this.length++;
    this.seriesOf[index] = series;
    this.timesMs[index] = timeMs;
    return index;
  }

  setTime(index: number, timeMs: number): void {
    this.timesMs[index] = timeMs;
  }

  timeAt(index: number): number {
    return this.timesMs[index] ?? 0;
  }

  finish(): SampleBatch {
    return {
      series: this.series,
      seriesOf: this.seriesOf.subarray(0, this.length),
      timesMs: this.timesMs.subarray(0, this.length),
      values: this.values.subarray(0, this.length),
    };
  }

  private grow(): void {
    const capacity = this.seriesOf.length * 2;
    const seriesOf = new Uint32Array(capacity);
    seriesOf.set(this.seriesOf);
    const timesMs = new Float64Array(capacity);
    timesMs.set(this.timesMs);
    const values = new Float64Array(capacity);
    const words = new Uint32Array(values.buffer);
    words.set(this.words);
    this.seriesOf = seriesOf;
    this.timesMs = timesMs;
    this.values = values;
    this.words = words;
  }
}
