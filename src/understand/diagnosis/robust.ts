/** Statistics that a few wild points can't spoil. NaN means "no value" and is left out everywhere. */

export function finite(values: Iterable<number>): number[] {
  return Array.from(values).filter((value) => Number.isFinite(value));
}

/** Linear interpolation between order statistics; NaN of nothing. */
export function quantile(values: Iterable<number>, q: number): number {
  const sorted = finite(values).sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const position = (sorted.length - 1) * q;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export function median(values: Iterable<number>): number {
  return quantile(values, 0.5);
}

/** Median absolute deviation, scaled so that it estimates the standard deviation of normal noise. */
export function spread(values: Iterable<number>): number {
  const all = finite(values);
  const middle = median(all);
  return 1.4826 * median(all.map((value) => Math.abs(value - middle)));
}

export function sum(values: Iterable<number>): number {
  return finite(values).reduce((total, value) => total + value, 0);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
