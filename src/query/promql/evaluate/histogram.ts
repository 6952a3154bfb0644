import { dropLabels, type LabelSet, labelKey, labelValue, METRIC_NAME } from '../../../model/index.ts';
import { PromqlError } from '../error.ts';
import { isValidName, quote, type Span } from '../syntax/index.ts';
import type { FunctionCall } from './call.ts';
import { replaceLabel } from './names.ts';
import { classicAndNative, nativeFractions, nativeQuantiles, rowsOfNumbers } from './native.ts';
import { formatNumber } from './number-text.ts';
import type { Query } from './query.ts';
import { emptyRow, isEmpty, type Row } from './values.ts';

/** One bucket of a classic histogram at one point: how many observations were at most `bound`. */
interface Bucket {
  bound: number;
  count: number;
}

/** Differences of counts below this, relative to the counts, are noise of floating point and leave no note. */
const NOISE = 1e-12;

/** `histogram_quantile` over native histograms and `_bucket` series: of the latter one row per histogram, grouped by all labels but `le`. */
export async function histogramQuantile(
  rows: Row[],
  quantiles: Float64Array,
  query: Query,
  at: { quantile: Span; rows: Span },
): Promise<Row[]> {
  for (const q of quantiles) {
    if (!(q >= 0 && q <= 1))
      query.annotations.warn(`quantile value should be between 0 and 1, got ${formatNumber(q)}`, at.quantile);
  }
  const native = nativeQuantiles(rows, quantiles, query, at.rows);
  const classic = await perHistogram(rowsOfNumbers(rows), query, at.rows, (buckets, step, labels) => {
    const { value, repaired } = quantileOfBuckets(quantiles[step] ?? 0, buckets);
    if (repaired) {
      query.annotations.info(
        `input to histogram_quantile needed to be fixed for monotonicity (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) for metric name ${JSON.stringify(labelValue(labels, METRIC_NAME))}`,
        at.rows,
      );
    }
    return value;
  });
  return classicAndNative(classic, native, query, at.rows);
}

/** `histogram_fraction` over native histograms and `_bucket` series: the share of observations above `lower` and at most `upper`. */
export async function histogramFraction(
  rows: Row[],
  bounds: { lower: Float64Array; upper: Float64Array },
  query: Query,
  at: Span,
): Promise<Row[]> {
  const native = nativeFractions(rows, bounds, query, at);
  const classic = await perHistogram(rowsOfNumbers(rows), query, at, (buckets, step) =>
    fractionOfBuckets(bounds.lower[step] ?? 0, bounds.upper[step] ?? 0, buckets),
  );
  return classicAndNative(classic, native, query, at);
}

type Judge = (buckets: Bucket[], step: number, labels: LabelSet) => number;

const NOT_LE: ReadonlySet<string> = new Set(['le']);

async function perHistogram(rows: Row[], query: Query, at: Span, judge: Judge): Promise<Row[]> {
  const results: Row[] = [];
  for (const { labels, members } of groupHistograms(rows, query, at)) {
    if (query.budget.isDue()) await query.budget.pause();
    const steps = members[0]?.row.values.length ?? 0;
    query.budget.spend(steps);
    const result = emptyRow(labels, members[0]?.row.dropName ?? false, steps);
    for (let step = 0; step < steps; step++) {
      const buckets = members
        .filter(({ row }) => row.present[step])
        .map(({ bound, row }) => ({ bound, count: row.values[step] ?? 0 }));
      if (buckets.length === 0) continue;
      result.values[step] = judge(buckets, step, labels);
      result.present[step] = 1;
    }
    if (!isEmpty(result)) results.push(result);
  }
  return results;
}

interface Histogram {
  labels: LabelSet;
  members: { bound: number; row: Row }[];
}

/** Rows by everything but `le`, buckets in order of their bounds; rows without a usable `le` are left out with a warning. */
function groupHistograms(rows: Row[], query: Query, at: Span): Histogram[] {
  const histograms = new Map<string, Histogram>();
  for (const row of rows) {
    const text = labelValue(row.labels, 'le');
    const bound = parseBound(text);
    if (bound === undefined) {
      const name = JSON.stringify(labelValue(row.labels, METRIC_NAME));
      query.annotations.warn(
        `bucket label "le" is missing or has a malformed value of ${JSON.stringify(text)} for metric name ${name}`,
        at,
      );
      continue;
    }
    const labels = dropLabels(row.labels, NOT_LE);
    const key = labelKey(labels);
    const histogram = histograms.get(key) ?? { labels, members: [] };
    histogram.members.push({ bound, row });
    histograms.set(key, histogram);
  }
  for (const { members } of histograms.values()) members.sort((a, b) => a.bound - b.bound || 0);
  return [...histograms.values()];
}

function parseBound(text: string): number | undefined {
  if (/^\+?inf(inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-inf(inity)?$/i.test(text)) return Number.NEGATIVE_INFINITY;
  const bound = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(bound) ? undefined : bound;
}

/** As Prometheus' `BucketQuantile`; buckets come in order of their bounds. */
export function quantileOfBuckets(q: number, input: Bucket[]): { value: number; repaired: boolean } {
  const plain = (value: number) => ({ value, repaired: false });
  if (Number.isNaN(q)) return plain(Number.NaN);
  if (q < 0) return plain(Number.NEGATIVE_INFINITY);
  if (q > 1) return plain(Number.POSITIVE_INFINITY);
  if (input.at(-1)?.bound !== Number.POSITIVE_INFINITY) return plain(Number.NaN);
  const { buckets, repaired } = makeMonotonic(mergeEqualBounds(input));
  const observations = buckets.at(-1)?.count ?? 0;
  if (buckets.length < 2 || observations === 0 || Number.isNaN(observations)) return { value: Number.NaN, repaired };

  let rank = q * observations;
  const index = buckets.findIndex((bucket, i) => i === buckets.length - 1 || bucket.count >= rank);
  const bucket = buckets[index] ?? { bound: Number.NaN, count: 0 };
  const below = buckets[index - 1];
  if (index === buckets.length - 1) return { value: below?.bound ?? Number.NaN, repaired };
  if (!below && bucket.bound <= 0) return { value: bucket.bound, repaired };
  rank -= below?.count ?? 0;
  const start = below?.bound ?? 0;
  return { value: start + (bucket.bound - start) * (rank / (bucket.count - (below?.count ?? 0))), repaired };
}

function fractionOfBuckets(lower: number, upper: number, input: Bucket[]): number {
  if (input.at(-1)?.bound !== Number.POSITIVE_INFINITY) return Number.NaN;
  const { buckets } = makeMonotonic(mergeEqualBounds(input));
  const observations = buckets.at(-1)?.count ?? 0;
  if (observations === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN;
  if (lower >= upper) return 0;
  return (rankOf(upper, buckets) - rankOf(lower, buckets)) / observations;
}

/** How many observations are estimated to be at most `value`. */
function rankOf(value: number, buckets: Bucket[]): number {
  const index = buckets.findIndex((bucket) => bucket.bound >= value);
  const bucket = buckets[index];
  if (!bucket) return buckets.at(-1)?.count ?? 0;
  const below = buckets[index - 1];
  const base = below?.count ?? 0;
  if (bucket.bound === value) return bucket.count;
  if (bucket.bound === Number.POSITIVE_INFINITY) return base;
  const start = below?.bound ?? (bucket.bound > 0 ? 0 : Number.NEGATIVE_INFINITY);
  if (value <= start || start === Number.NEGATIVE_INFINITY) return base;
  return base + (bucket.count - base) * ((value - start) / (bucket.bound - start));
}

/** `le="1"` and `le="1.0"` are one bucket. */
function mergeEqualBounds(buckets: Bucket[]): Bucket[] {
  const merged: Bucket[] = [];
  for (const bucket of buckets) {
    const last = merged.at(-1);
    if (last?.bound === bucket.bound) last.count += bucket.count;
    else merged.push({ ...bucket });
  }
  return merged;
}

function makeMonotonic(buckets: Bucket[]): { buckets: Bucket[]; repaired: boolean } {
  let repaired = false;
  let previous = buckets[0]?.count ?? 0;
  for (const bucket of buckets.slice(1)) {
    if (bucket.count === previous) continue;
    if (isNoise(previous, bucket.count)) bucket.count = previous;
    else if (bucket.count < previous) {
      bucket.count = previous;
      repaired = true;
    } else previous = bucket.count;
  }
  return { buckets, repaired };
}

function isNoise(a: number, b: number): boolean {
  const size = Math.abs(a) + Math.abs(b);
  const difference = Math.abs(a - b);
  if (a === 0 || b === 0 || size < MIN_NORMAL) return difference < NOISE * MIN_NORMAL;
  return difference / Math.min(size, Number.MAX_VALUE) < NOISE;
}

const MIN_NORMAL = 2 ** -1022;

/** `histogram_quantiles`: several quantiles at once, each under its value in the named label. */
export async function histogramQuantiles(call: FunctionCall): Promise<Row[]> {
  const rows = await call.vector(0);
  const [name = ''] = await call.strings(1);
  if (!isValidName(name)) throw new PromqlError('execution', `invalid label name ${quote(name)}`);
  const results: Row[] = [];
  for (let index = 2; index < call.expr.args.length; index++) {
    const quantiles = await call.scalar(index);
    const found = await histogramQuantile(rows, quantiles, call.query, {
      quantile: call.arg(index).span,
      rows: call.arg(0).span,
    });
    const text = formatNumber(quantiles[0] ?? Number.NaN);
    results.push(...found.map((row) => ({ ...row, labels: replaceLabel(row.labels, name, text) })));
  }
  return results;
}
