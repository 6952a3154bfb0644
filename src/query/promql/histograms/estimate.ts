import { CUSTOM_BOUNDS_SCHEMA, type NativeHistogram } from '../../../model/index.ts';
import { CompensatedSum } from '../evaluate/sums.ts';
import { type Bucket, bucketsOf } from './buckets.ts';

/**
 * What native histograms tell about their observations, as Prometheus estimates it: within exponential buckets
 * observations are spread evenly on a logarithmic scale, within the zero bucket and custom buckets on a linear one.
 */

export interface Estimate {
  value: number;
  /** The histogram counts observations of NaN, which are in no bucket. */
  sawNaN: boolean;
}

/** The value below which a share `q` of the observations lies. */
export function quantileOfHistogram(q: number, histogram: NativeHistogram): Estimate {
  const { count, sum } = histogram;
  const plain = (value: number): Estimate => ({ value, sawNaN: false });
  if (q < 0) return plain(Number.NEGATIVE_INFINITY);
  if (q > 1) return plain(Number.POSITIVE_INFINITY);
  if (count === 0 || Number.isNaN(q)) return plain(Number.NaN);
  const sawNaN = Number.isNaN(sum);
  const fromBelow = sawNaN || q < 0.5;
  const buckets = bucketsOf(histogram);
  if (!fromBelow) buckets.reverse();
  let rank = (fromBelow ? q : 1 - q) * count;
  let passed = 0;
  let found: Bucket | undefined;
  for (const bucket of buckets) {
    found = bucket;
    passed += bucket.count;
    if (passed >= rank) break;
  }
  passed = Math.min(passed, count);
  if (found === undefined || passed < rank) return { value: Number.NaN, sawNaN };
  rank = fromBelow ? rank - (passed - found.count) : passed - rank;
  return { value: within(natural(found, histogram), rank / found.count, histogram), sawNaN };
}

/** The share of observations between two values; NaN is never between them. */
export function fractionOfHistogram(lower: number, upper: number, histogram: NativeHistogram): Estimate {
  const { count, sum } = histogram;
  const sawNaN = Number.isNaN(sum);
  if (count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return { value: Number.NaN, sawNaN: false };
  if (lower >= upper) return { value: 0, sawNaN };
  const buckets = bucketsOf(histogram).map((bucket) => natural(bucket, histogram));
  const inBuckets = buckets.reduce((total, bucket) => total + bucket.count, 0);
  const rank = (value: number) => Math.min(rankOf(value, buckets, histogram), sawNaN ? inBuckets : count);
  return { value: (rank(upper) - rank(lower)) / count, sawNaN };
}

/** How many observations are estimated to be below `value`. */
function rankOf(value: number, buckets: readonly Bucket[], histogram: NativeHistogram): number {
  let rank = 0;
  for (const bucket of buckets) {
    if (bucket.lower >= value) return rank;
    if (bucket.upper > value) return rank + bucket.count * placeWithin(bucket, value, histogram);
    rank += bucket.count;
  }
  return histogram.count;
}

/** The variance of the observations, each taken for the middle of its bucket. */
export function varianceOfHistogram(histogram: NativeHistogram): number {
  const mean = histogram.sum / histogram.count;
  const squares = new CompensatedSum();
  for (const bucket of bucketsOf(histogram)) squares.add(bucket.count * (middle(bucket, histogram) - mean) ** 2);
  return squares.total() / histogram.count;
}

function middle({ lower, upper }: Bucket, { schema }: NativeHistogram): number {
  if (schema === CUSTOM_BOUNDS_SCHEMA) return (lower + upper) / 2;
  if (lower <= 0 && upper >= 0) return 0;
  return Math.sign(upper) * Math.sqrt(lower * upper);
}

/**
 * The bucket with bounds that it cannot have crossed: the zero bucket of a histogram with observations on one side only
 * ends at zero, and so does the lowest custom bucket.
 */
function natural(bucket: Bucket, { schema, positive, negative }: NativeHistogram): Bucket {
  const { lower, upper } = bucket;
  if (schema === CUSTOM_BOUNDS_SCHEMA)
    return lower === Number.NEGATIVE_INFINITY && upper > 0 ? { ...bucket, lower: 0 } : bucket;
  if (lower >= 0 || upper <= 0) return bucket;
  if (negative.counts.length === 0 && positive.counts.length > 0) return { ...bucket, lower: 0 };
  return positive.counts.length === 0 && negative.counts.length > 0 ? { ...bucket, upper: 0 } : bucket;
}

/** The value at a share of the way through a bucket. */
function within({ lower, upper }: Bucket, share: number, { schema }: NativeHistogram): number {
  if (lower === Number.NEGATIVE_INFINITY) return upper;
  if (upper === Number.POSITIVE_INFINITY && schema === CUSTOM_BOUNDS_SCHEMA) return lower;
  if (schema === CUSTOM_BOUNDS_SCHEMA || (lower <= 0 && upper >= 0)) return lower + (upper - lower) * share;
  const [logLower, logUpper] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper))];
  return lower > 0
    ? 2 ** (logLower + (logUpper - logLower) * share)
    : -(2 ** (logUpper + (logLower - logUpper) * (1 - share)));
}

/** The share of the way through a bucket at which a value lies. */
function placeWithin({ lower, upper }: Bucket, value: number, { schema }: NativeHistogram): number {
  if (lower === Number.NEGATIVE_INFINITY || upper === Number.POSITIVE_INFINITY) return 0;
  if (schema === CUSTOM_BOUNDS_SCHEMA || (lower <= 0 && upper >= 0)) return (value - lower) / (upper - lower);
  const [logLower, logUpper, at] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper)), Math.log2(Math.abs(value))];
  return value > 0 ? (at - logLower) / (logUpper - logLower) : 1 - (at - logUpper) / (logLower - logUpper);
}
