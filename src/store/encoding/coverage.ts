/**
 * Which hours of a day a series has a row for, for very many series: a hash table in flat arrays (12 bytes an entry), since
 * a Map of a million series would be a hundred megabytes of small objects.
 */
export class HourCoverage {
  private capacity = 1024;
  private lows = new Uint32Array(this.capacity);
  private highs = new Uint32Array(this.capacity);
  /** Bit set of hours; zero marks a free place. */
  private hours = new Uint32Array(this.capacity);
  private used = 0;

  has(low: number, high: number, hour: number): boolean {
    return ((this.hours[this.find(low, high)] ?? 0) & (1 << hour)) !== 0;
  }

  add(low: number, high: number, hour: number): void {
    if (this.used * 2 >= this.capacity) this.grow();
    const place = this.find(low, high);
    if (this.hours[place] === 0) {
      this.lows[place] = low;
      this.highs[place] = high;
      this.used++;
    }
    this.hours[place] = (this.hours[place] ?? 0) | (1 << hour);
  }

  /** The place of the key, or the free one where it belongs. */
  private find(low: number, high: number): number {
    const mask = this.capacity - 1;
    let place = low & mask;
    while (this.hours[place] !== 0 && (this.lows[place] !== low || this.highs[place] !== high))
      place = (place + 1) & mask;
    return place;
  }

  private grow(): void {
    const { lows, highs, hours } = this;
    this.capacity *= 2;
    this.lows = new Uint32Array(this.capacity);
    this.highs = new Uint32Array(this.capacity);
    this.hours = new Uint32Array(this.capacity);
    for (let i = 0; i < hours.length; i++) {
      if (hours[i] === 0) continue;
      const place = this.find(lows[i] ?? 0, highs[i] ?? 0);
      this.lows[place] = lows[i] ?? 0;
      this.highs[place] = highs[i] ?? 0;
      this.hours[place] = hours[i] ?? 0;
    }
  }
}
