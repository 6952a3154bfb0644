import { CUSTOM_BOUNDS_SCHEMA, type NativeHistogram, noBuckets, type ResetHint } from '../../../model/index.ts';
import { boundOf } from './buckets.ts';
import { addSparse, fromSparse, mapIndexes, type SparseBuckets, toSparse } from './sparse.ts';

/** Arithmetic of native histograms, as Prometheus' `FloatHistogram` defines it. Nothing is changed in place. */

export interface Combined {
  histogram: NativeHistogram;
  /** Custom bounds differed; only those that both have are left. */
  boundsDiffered: boolean;
  /** One came behind a counter reset and the other did not, so the result says nothing about resets. */
  resetsDiffered: boolean;
}

/** A histogram in the form that arithmetic works on. */
interface Parts {
  schema: number;
  customBounds: readonly number[];
  zeroThreshold: number;
  zeroCount: number;
  positive: SparseBuckets;
  negative: SparseBuckets;
}

/** `a + sign * b`; undefined when one has exponential buckets and the other custom bounds. */
export function combine(a: NativeHistogram, b: NativeHistogram, sign: 1 | -1): Combined | undefined {
  const isCustom = a.schema === CUSTOM_BOUNDS_SCHEMA;
  if (isCustom !== (b.schema === CUSTOM_BOUNDS_SCHEMA)) return undefined;
  const boundsDiffered = isCustom && !sameNumbers(a.customBounds, b.customBounds);
  const [left, right] = isCustom ? onCommonBounds(a, b) : onCommonScale(partsOf(a), partsOf(b));
  const histogram: NativeHistogram = {
    schema: left.schema,
    integer: false,
    resetHint: commonHint(a.resetHint, b.resetHint),
    stale: false,
    count: a.count + sign * b.count,
    sum: a.sum + sign * b.sum,
    zeroThreshold: left.zeroThreshold,
    zeroCount: left.zeroCount + sign * right.zeroCount,
    positive: fromSparse(addSparse(left.positive, right.positive, sign)),
    negative: fromSparse(addSparse(left.negative, right.negative, sign)),
    customBounds: left.customBounds,
  };
  const hints = new Set([a.resetHint, b.resetHint]);
  return { histogram, boundsDiffered, resetsDiffered: hints.has('yes') && hints.has('no') };
}

function commonHint(a: ResetHint, b: ResetHint): ResetHint {
  if (a === b) return a;
  return a === 'gauge' || b === 'gauge' ? 'gauge' : 'unknown';
}

/** All counts and the sum times a factor; a negative one makes it a gauge. */
export function scale(histogram: NativeHistogram, factor: number): NativeHistogram {
  return mapCounts(histogram, (value) => value * factor, factor < 0);
}

export function divide(histogram: NativeHistogram, by: number): NativeHistogram {
  const divided = mapCounts(histogram, (value) => value / by, by < 0);
  // Divided by zero every bucket would be infinite or NaN; Prometheus keeps none.
  return by === 0 ? { ...divided, positive: noBuckets, negative: noBuckets } : divided;
}

function mapCounts(histogram: NativeHistogram, map: (value: number) => number, negative: boolean): NativeHistogram {
  const side = ({ spans, counts }: NativeHistogram['positive']) => ({ spans, counts: counts.map(map) });
  return {
    ...histogram,
    integer: false,
    resetHint: negative ? 'gauge' : histogram.resetHint,
    count: map(histogram.count),
    sum: map(histogram.sum),
    zeroCount: map(histogram.zeroCount),
    positive: side(histogram.positive),
    negative: side(histogram.negative),
  };
}

/** Same buckets, counts and sum; how they came about does not matter. */
export function sameHistogram(a: NativeHistogram, b: NativeHistogram): boolean {
  const sides = (['positive', 'negative'] as const).every((side) => {
    const [left, right] = [toSparse(a[side]), toSparse(b[side])];
    return sameNumbers(left.indexes, right.indexes) && sameNumbers(left.counts, right.counts);
  });
  return (
    sides &&
    a.schema === b.schema &&
    sameNumber(a.count, b.count) &&
    sameNumber(a.sum, b.sum) &&
    a.zeroThreshold === b.zeroThreshold &&
    a.zeroCount === b.zeroCount &&
    sameNumbers(a.customBounds, b.customBounds)
  );
}

function sameNumber(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => sameNumber(value, b[i] ?? 0));
}

/**
 * Whether a counter began anew between two samples: the later one says so, or has fewer observations anywhere, or a
 * finer layout (which exporters only choose when they begin anew).
 */
export function isReset(previous: NativeHistogram, current: NativeHistogram): boolean {
  if (current.resetHint === 'yes') return true;
  if (current.resetHint === 'no') return false;
  if (current.count < previous.count) return true;
  const isCustom = current.schema === CUSTOM_BOUNDS_SCHEMA;
  if (isCustom !== (previous.schema === CUSTOM_BOUNDS_SCHEMA)) return true;
  if (isCustom) {
    const [before, now] = onCommonBounds(previous, current);
    return hasShrunk(before.positive, now.positive);
  }
  if (current.schema > previous.schema || current.zeroThreshold < previous.zeroThreshold) return true;
  const [before, now] = onCommonScale(partsOf(previous), partsOf(current));
  // The new threshold lies within a populated bucket of before.
  if (before.zeroThreshold !== current.zeroThreshold) return true;
  return (
    now.zeroCount < before.zeroCount ||
    hasShrunk(before.positive, now.positive) ||
    hasShrunk(before.negative, now.negative)
  );
}

function hasShrunk(before: SparseBuckets, now: SparseBuckets): boolean {
  const counts = new Map(now.indexes.map((index, i) => [index, now.counts[i] ?? 0]));
  return before.indexes.some((index, i) => (counts.get(index) ?? 0) < (before.counts[i] ?? 0));
}

function partsOf({ schema, customBounds, zeroThreshold, zeroCount, positive, negative }: NativeHistogram): Parts {
  return {
    schema,
    customBounds,
    zeroThreshold,
    zeroCount,
    positive: toSparse(positive),
    negative: toSparse(negative),
  };
}

/** Both with the coarser schema and the wider zero bucket. */
function onCommonScale(a: Parts, b: Parts): [Parts, Parts] {
  const schema = Math.min(a.schema, b.schema);
  let [left, right] = [coarsen(a, schema), coarsen(b, schema)];
  // Widening one may end inside of a populated bucket and take all of it, which then is too wide for the other.
  while (left.zeroThreshold !== right.zeroThreshold) {
    if (left.zeroThreshold < right.zeroThreshold) left = widenZero(left, right.zeroThreshold);
    else right = widenZero(right, left.zeroThreshold);
  }
  return [left, right];
}

function coarsen(parts: Parts, schema: number): Parts {
  if (parts.schema === schema) return parts;
  const width = 2 ** (parts.schema - schema);
  const to = (index: number) => Math.ceil(index / width);
  return { ...parts, schema, positive: mapIndexes(parts.positive, to), negative: mapIndexes(parts.negative, to) };
}

function widenZero(parts: Parts, threshold: number): Parts {
  const { schema, customBounds } = parts;
  let reached = threshold;
  for (let before = Number.NaN; before !== reached; ) {
    before = reached;
    for (const { indexes } of [parts.positive, parts.negative]) {
      for (const index of indexes) {
        if (boundOf(index - 1, schema, customBounds) >= reached) break;
        reached = Math.max(reached, boundOf(index, schema, customBounds));
      }
    }
  }
  let zeroCount = parts.zeroCount;
  const outside = ({ indexes, counts }: SparseBuckets): SparseBuckets => {
    const firstKept = indexes.findIndex((index) => boundOf(index - 1, schema, customBounds) >= reached);
    const cut = firstKept < 0 ? indexes.length : firstKept;
    for (const count of counts.slice(0, cut)) zeroCount += count;
    return { indexes: indexes.slice(cut), counts: counts.slice(cut) };
  };
  const [positive, negative] = [outside(parts.positive), outside(parts.negative)];
  return { ...parts, zeroThreshold: reached, zeroCount, positive, negative };
}

/** Both with only those bounds that both have. */
function onCommonBounds(a: NativeHistogram, b: NativeHistogram): [Parts, Parts] {
  if (sameNumbers(a.customBounds, b.customBounds)) return [partsOf(a), partsOf(b)];
  const known = new Set(b.customBounds);
  const common = a.customBounds.filter((bound) => known.has(bound));
  return [mergeBounds(a, common), mergeBounds(b, common)];
}

function mergeBounds(histogram: NativeHistogram, customBounds: readonly number[]): Parts {
  const parts = partsOf(histogram);
  const to = (index: number) => {
    const upper = boundOf(index, parts.schema, histogram.customBounds);
    const target = customBounds.findIndex((bound) => upper <= bound);
    return target < 0 ? customBounds.length : target;
  };
  return { ...parts, customBounds, positive: mapIndexes(parts.positive, to) };
}
