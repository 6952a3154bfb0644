/** A classic Prometheus histogram: counts per bucket, sum and count. */
export interface Histogram {
  /** Upper bounds, ascending, without the infinite one. */
  readonly bounds: readonly number[];
  readonly sum: number;
  readonly count: number;
  observe(value: number, times?: number): void;
  /** Observations at or below the bound with this index; `bounds.length` means all. */
  cumulative(index: number): number;
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  let count = 0;
  return {
    bounds,
    get sum() {
      return sum;
    },
    get count() {
      return count;
    },
    observe(value, times = 1) {
      let i = 0;
      while (i < bounds.length && value > (bounds[i] ?? 0)) i++;
      counts[i] = (counts[i] ?? 0) + times;
      sum += value * times;
      count += times;
    },
    cumulative(index) {
      let total = 0;
      for (let i = 0; i <= index; i++) total += counts[i] ?? 0;
      return total;
    },
  };
}
