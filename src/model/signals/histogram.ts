import type { LabelSet } from './labels.ts';
import type { Series } from './series.ts';

/** The schema of histograms whose bucket bounds are given one by one (Prometheus' NHCB). */
export const CUSTOM_BOUNDS_SCHEMA = -53;

/**
 * One sample of a Prometheus native histogram. With `schema` -4 to 8, bucket `i` of the positive side covers
 * (base^(i-1), base^i], base = 2^(2^-schema), the negative side mirrors it, and [-zeroThreshold, zeroThreshold] is the
 * zero bucket. With `schema` -53, bucket `i` covers (customBounds[i-1], customBounds[i]] from -Inf to +Inf, and there is
 * neither a zero bucket nor a negative side.
 */
export interface NativeHistogram {
  readonly schema: number;
  /** Counts came as integers. They are kept as doubles all the same: exact below 2^53. */
  readonly integer: boolean;
  readonly resetHint: ResetHint;
  /** The sample says that the series ended; all else of it is empty, and the sum NaN. */
  readonly stale: boolean;
  readonly count: number;
  readonly sum: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly positive: HistogramBuckets;
  readonly negative: HistogramBuckets;
  /** Upper bounds in rising order without the +Inf of the last bucket; empty unless `schema` is -53. */
  readonly customBounds: readonly number[];
}

/** What the sender knows about a counter reset between the sample before and this one. */
export type ResetHint = 'unknown' | 'yes' | 'no' | 'gauge';

/** Runs of buckets. The counts are absolute and not cumulative, one per bucket of the spans, in their order. */
export interface HistogramBuckets {
  readonly spans: readonly BucketSpan[];
  readonly counts: readonly number[];
}

export interface BucketSpan {
  /** The first span: the index of its first bucket. Later ones: the gap after the span before, zero or more. */
  readonly offset: number;
  readonly length: number;
}

export const noBuckets: HistogramBuckets = { spans: [], counts: [] };

/** The sample that ends a series of native histograms. */
export const staleHistogram: NativeHistogram = {
  schema: 0,
  integer: true,
  resetHint: 'unknown',
  stale: true,
  count: 0,
  sum: Number.NaN,
  zeroThreshold: 0,
  zeroCount: 0,
  positive: noBuckets,
  negative: noBuckets,
  customBounds: [],
};

/** Native histograms in columns: `values[i]` belongs to `series[seriesOf[i]]`. */
export interface HistogramBatch {
  series: Series[];
  seriesOf: Uint32Array;
  /** Milliseconds since the epoch, whole numbers; may be zero or negative. */
  timesMs: Float64Array;
  values: NativeHistogram[];
  /** When the counting began, in milliseconds; NaN: not known. */
  startsMs?: Float64Array;
}

/** One measured event that a metric's value counts, with what identifies it. */
export interface Exemplar {
  /** The series it came with: of a counter, of one bucket of a classic histogram, or of a native histogram. */
  series: Series;
  timeMs: number;
  value: number;
  /** `trace_id` and `span_id` where known, and whatever else the sender gave. */
  labels: LabelSet;
}
