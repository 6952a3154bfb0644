import { CUSTOM_BOUNDS_SCHEMA, type HistogramBuckets, type NativeHistogram } from './histogram.ts';

/**
 * Why a native histogram cannot be kept, in Prometheus' words (model/histogram), or undefined when it is sound: a known
 * schema, as many counts as its spans say, none negative, and a total that agrees with them (unless NaN was observed).
 */
export function explainInvalidHistogram(histogram: NativeHistogram): string | undefined {
  if (histogram.stale) return undefined;
  const { schema, customBounds } = histogram;
  if (schema === CUSTOM_BOUNDS_SCHEMA) {
    const because = explainCustom(histogram);
    if (because !== undefined) return because;
  } else {
    if (!Number.isInteger(schema) || schema < -4 || schema > 8) {
      return `histogram has an invalid schema, which must be between -4 and 8 for exponential buckets, or -53 for custom buckets, got schema ${schema}`;
    }
    if (customBounds.length > 0) return 'histogram with exponential schema must not have custom bounds';
  }
  return (
    inSide('negative', explainBuckets(histogram.negative)) ??
    inSide('positive', explainBuckets(histogram.positive)) ??
    explainCount(histogram)
  );
}

function explainCustom({ zeroCount, zeroThreshold, negative, positive, customBounds }: NativeHistogram) {
  if (zeroCount !== 0) return 'custom buckets: must have zero count of 0';
  if (zeroThreshold !== 0) return 'custom buckets: must have zero threshold of 0';
  if (negative.spans.length > 0) return 'custom buckets: must not have negative spans';
  if (negative.counts.length > 0) return 'custom buckets: must not have negative buckets';
  let before = Number.NEGATIVE_INFINITY;
  for (const bound of customBounds) {
    if (Number.isNaN(bound)) return 'histogram custom bounds must not be NaN';
    if (!Number.isFinite(bound)) return 'histogram custom bounds must be finite';
    if (bound <= before) return 'histogram custom bounds must be in strictly increasing order';
    before = bound;
  }
  const end = positive.spans.reduce((index, span) => index + span.offset + span.length, 0);
  return end > customBounds.length + 1 ? 'histogram custom bounds are too few' : undefined;
}

function explainBuckets({ spans, counts }: HistogramBuckets): string | undefined {
  let buckets = 0;
  for (const [i, { offset, length }] of spans.entries()) {
    if (i > 0 && offset < 0) return 'histogram has a span whose offset is negative';
    buckets += length;
  }
  if (buckets !== counts.length) {
    return `histogram spans specify different number of buckets than provided: ${buckets} and ${counts.length}`;
  }
  return counts.some((count) => count < 0) ? 'histogram has a bucket whose observation count is negative' : undefined;
}

function explainCount({ count, sum, zeroCount, positive, negative, integer }: NativeHistogram): string | undefined {
  if (zeroCount < 0 || count < 0) return "histogram's observation count is negative";
  if (!integer) return undefined; // sums of floats need not be exact
  const found = total(positive) + total(negative) + zeroCount;
  const both = `${found} observations found in buckets, but the Count field is ${count}`;
  if (Number.isNaN(sum)) {
    return found > count
      ? `${both}: histogram's observation count should be at least the number of observations found in the buckets`
      : undefined;
  }
  // Beyond 2^53 the double that holds a count is not exact.
  if (found === count || count >= Number.MAX_SAFE_INTEGER) return undefined;
  return `${both}: histogram's observation count should equal the number of observations found in the buckets (in absence of NaN)`;
}

function total({ counts }: HistogramBuckets): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function inSide(side: string, because: string | undefined): string | undefined {
  return because === undefined ? undefined : `${side} side: ${because}`;
}
