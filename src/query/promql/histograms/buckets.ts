import { CUSTOM_BOUNDS_SCHEMA, type NativeHistogram } from '../../../model/index.ts';
import { formatNumber } from '../evaluate/number-text.ts';
import { toSparse } from './sparse.ts';

export interface Bucket {
  lower: number;
  upper: number;
  lowerInclusive: boolean;
  upperInclusive: boolean;
  count: number;
}

/** The upper bound of bucket `index`, in absolute value; as Prometheus' `getBound`. */
export function boundOf(index: number, schema: number, customBounds: readonly number[]): number {
  if (schema === CUSTOM_BOUNDS_SCHEMA) {
    return index < 0 ? Number.NEGATIVE_INFINITY : (customBounds[index] ?? Number.POSITIVE_INFINITY);
  }
  const exponent = index / 2 ** schema;
  // The last regular bucket ends at the largest number, so that the one behind it holds infinity alone.
  return exponent === 1024 ? Number.MAX_VALUE : 2 ** exponent;
}

/** The populated buckets from the lowest to the highest. None reaches into the zero bucket. */
export function bucketsOf(histogram: NativeHistogram): Bucket[] {
  const { schema, customBounds, zeroThreshold, zeroCount } = histogram;
  const isCustom = schema === CUSTOM_BOUNDS_SCHEMA;
  const bound = (index: number) => boundOf(index, schema, customBounds);
  const buckets: Bucket[] = [];
  const negative = toSparse(histogram.negative);
  for (let i = negative.indexes.length - 1; i >= 0; i--) {
    const index = negative.indexes[i] ?? 0;
    const upper = Math.min(-bound(index - 1), -zeroThreshold);
    const count = negative.counts[i] ?? 0;
    buckets.push({ lower: -bound(index), upper, lowerInclusive: true, upperInclusive: false, count });
  }
  if (zeroCount !== 0) {
    buckets.push({
      lower: -zeroThreshold,
      upper: zeroThreshold,
      lowerInclusive: true,
      upperInclusive: true,
      count: zeroCount,
    });
  }
  const positive = toSparse(histogram.positive);
  for (const [i, index] of positive.indexes.entries()) {
    const lower = isCustom ? bound(index - 1) : Math.max(bound(index - 1), zeroThreshold);
    const count = positive.counts[i] ?? 0;
    buckets.push({ lower, upper: bound(index), lowerInclusive: isCustom && index === 0, upperInclusive: true, count });
  }
  return buckets;
}

/** As Prometheus writes histograms in texts: `{count:3, sum:2.5, [-0.001,0.001]:1, (0.5,1]:2}`. */
export function describeHistogram(histogram: NativeHistogram): string {
  const buckets = bucketsOf(histogram).map(({ lower, upper, lowerInclusive, upperInclusive, count }) => {
    const bounds = `${formatNumber(lower)},${formatNumber(upper)}`;
    return `${lowerInclusive ? '[' : '('}${bounds}${upperInclusive ? ']' : ')'}:${formatNumber(count)}`;
  });
  return `{${[`count:${formatNumber(histogram.count)}`, `sum:${formatNumber(histogram.sum)}`, ...buckets].join(', ')}}`;
}
