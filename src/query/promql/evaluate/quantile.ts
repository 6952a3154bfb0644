/**
 * The quantile of the values by linear interpolation between ranks; NaN is the smallest value. Sorts `values` in place.
 * Outside of [0, 1] it is infinite, as Prometheus defines it.
 */
export function quantileOf(q: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  sortNanFirst(values);
  const rank = q * (values.length - 1);
  const lower = Math.floor(rank);
  const upper = Math.min(values.length - 1, lower + 1);
  const weight = rank - lower;
  return (values[lower] ?? 0) * (1 - weight) + (values[upper] ?? 0) * weight;
}

/** Typed arrays sort numerically with NaN last. */
function sortNanFirst(values: Float64Array): void {
  values.sort();
  let numbers = values.length;
  while (numbers > 0 && Number.isNaN(values[numbers - 1])) numbers--;
  if (numbers === values.length || numbers === 0) return;
  values.copyWithin(values.length - numbers, 0, numbers);
  values.fill(Number.NaN, 0, values.length - numbers);
}
