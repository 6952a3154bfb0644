import {
  type BucketSpan,
  explainInvalidHistogram,
  type HistogramBuckets,
  type NativeHistogram,
  noBuckets,
} from '../../../model/index.ts';
import type { ExponentialBuckets, ExponentialPoint } from './decoded.ts';

/**
 * OTLP's exponential histograms as Prometheus' native ones, as Prometheus' own OTLP receiver makes them
 * (storage/remote/otlptranslator/prometheusremotewrite/histograms.go). Bucket `i` of OTLP covers (base^i, base^(i+1)],
 * which Prometheus numbers by its upper bound, so every index grows by one.
 */

export type Exponential = Pick<
  ExponentialPoint,
  'count' | 'sum' | 'scale' | 'zeroCount' | 'zeroThreshold' | 'positive' | 'negative'
>;

const MAX_SCHEMA = 8;
const MIN_SCHEMA = -4;
/** What Prometheus takes where a sender does not say how wide its zero bucket is. */
const DEFAULT_ZERO_THRESHOLD = 1e-128;
/** Gaps up to this long are filled with empty buckets, which is cheaper than another span. */
const LONGEST_FILLED_GAP = 2;
/** Of a running total: a resolution that needs more buckets is halved. SDKs keep 160. */
const MOST_BUCKETS = 320;

/** Why a point is no histogram that can be kept, or undefined. */
export function judgeExponential(point: Exponential): string | undefined {
  if (point.scale < MIN_SCHEMA) return `scale ${point.scale} is below ${MIN_SCHEMA}, the coarsest that can be kept`;
  if (isBeyondDoubles(point.positive, point.scale) || isBeyondDoubles(point.negative, point.scale)) {
    return 'its buckets lie beyond what a double can hold';
  }
  return explainInvalidHistogram(toNative(point));
}

/** Doubles lie within 2^-1074 and 2^1024; more would be buckets without end. */
function isBeyondDoubles({ offset, counts }: ExponentialBuckets, scale: number): boolean {
  return Math.min(offset, 0) < -1100 * 2 ** scale || offset + counts.length > 1100 * 2 ** scale + 1;
}

export function toNative(point: Exponential): NativeHistogram {
  const shift = Math.max(0, point.scale - MAX_SCHEMA);
  return {
    schema: point.scale - shift,
    integer: true,
    resetHint: 'unknown',
    stale: false,
    count: point.count,
    sum: point.sum ?? 0,
    zeroThreshold: point.zeroThreshold || DEFAULT_ZERO_THRESHOLD,
    zeroCount: point.zeroCount,
    positive: toSpans(coarser(point.positive, shift)),
    negative: toSpans(coarser(point.negative, shift)),
    customBounds: [],
  };
}

function toSpans({ offset, counts }: ExponentialBuckets): HistogramBuckets {
  const spans: BucketSpan[] = [];
  const kept: number[] = [];
  let length = 0;
  let next = 0;
  counts.forEach((count, i) => {
    if (count === 0) return;
    const index = offset + i + 1;
    const gap = index - next;
    const last = spans.at(-1);
    if (last !== undefined && gap <= LONGEST_FILLED_GAP) {
      for (let filled = 0; filled < gap; filled++) kept.push(0);
      length += gap + 1;
      spans[spans.length - 1] = { offset: last.offset, length };
    } else {
      length = 1;
      spans.push({ offset: last === undefined ? index : gap, length });
    }
    kept.push(count);
    next = index + 1;
  });
  return kept.length === 0 ? noBuckets : { spans, counts: kept };
}

/** Both together, at the resolution of the coarser one or less. */
export function addExponential(a: Exponential, b: Exponential): Exponential {
  let scale = Math.min(a.scale, b.scale, MAX_SCHEMA);
  const needed = () =>
    (['positive', 'negative'] as const).reduce(
      (most, side) => Math.max(most, width(a[side], a.scale - scale, b[side], b.scale - scale)),
      0,
    );
  while (scale > MIN_SCHEMA && needed() > MOST_BUCKETS) scale--;
  const side = (name: 'positive' | 'negative') =>
    addBuckets(coarser(a[name], a.scale - scale), coarser(b[name], b.scale - scale));
  return {
    scale,
    count: a.count + b.count,
    sum: a.sum === undefined || b.sum === undefined ? undefined : a.sum + b.sum,
    zeroCount: a.zeroCount + b.zeroCount,
    zeroThreshold: Math.max(a.zeroThreshold, b.zeroThreshold),
    positive: side('positive'),
    negative: side('negative'),
  };
}

function width(a: ExponentialBuckets, aShift: number, b: ExponentialBuckets, bShift: number): number {
  const ends = [...range(a, aShift), ...range(b, bShift)];
  return ends.length === 0 ? 0 : Math.max(...ends) - Math.min(...ends) + 1;
}

function range({ offset, counts }: ExponentialBuckets, shift: number): number[] {
  if (counts.length === 0) return [];
  return [Math.floor(offset / 2 ** shift), Math.floor((offset + counts.length - 1) / 2 ** shift)];
}

/** The same observations in buckets that are 2^shift times as wide, on a logarithmic axis. */
function coarser(buckets: ExponentialBuckets, shift: number): ExponentialBuckets {
  const { offset, counts } = buckets;
  if (shift <= 0 || counts.length === 0) return buckets;
  const factor = 2 ** shift;
  const first = Math.floor(offset / factor);
  const merged: number[] = [];
  counts.forEach((count, i) => {
    const at = Math.floor((offset + i) / factor) - first;
    while (merged.length <= at) merged.push(0);
    merged[at] = (merged[at] ?? 0) + count;
  });
  return { offset: first, counts: merged };
}

function addBuckets(a: ExponentialBuckets, b: ExponentialBuckets): ExponentialBuckets {
  if (a.counts.length === 0) return b;
  if (b.counts.length === 0) return a;
  const offset = Math.min(a.offset, b.offset);
  const end = Math.max(a.offset + a.counts.length, b.offset + b.counts.length);
  const counts = Array.from({ length: end - offset }, (_, i) => {
    const index = offset + i;
    return (a.counts[index - a.offset] ?? 0) + (b.counts[index - b.offset] ?? 0);
  });
  return { offset, counts };
}
