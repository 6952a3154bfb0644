import type { NativeHistogram } from '../../../model/index.ts';
import { combine, divide, isReset, sameHistogram, scale } from '../histograms/index.ts';
import type { MixedWindow, MixedWindowFunction } from './windows.ts';

/** Functions over windows in which native histograms are. */

interface Sample {
  timeMs: number;
  value: number;
  histogram: NativeHistogram | undefined;
}

function samplesOf({ timesMs, values, histograms, from, to }: MixedWindow): Sample[] {
  return Array.from({ length: to - from }, (_, i) => ({
    timeMs: timesMs[from + i] ?? 0,
    value: values[from + i] ?? 0,
    histogram: histograms[from + i],
  }));
}

/** The window's histograms when it holds nothing else; otherwise the author is told. */
function allHistograms(window: MixedWindow): NativeHistogram[] | undefined {
  const found = samplesOf(window).flatMap(({ histogram }) => histogram ?? []);
  if (found.length === window.to - window.from) return found;
  window.warn(mixedSamples);
  return undefined;
}

function mixedSamples(metric: string): string {
  return `encountered a mix of histograms and floats for metric name ${JSON.stringify(metric)}`;
}

function mixedSchemas(metric: string): string {
  return `vector contains a mix of histograms with exponential and custom buckets schemas for metric name ${JSON.stringify(metric)}`;
}

function reconciled(operation: string): () => string {
  return () => `mismatched custom buckets were reconciled during ${operation}`;
}

/** `a + sign * b`, with what is to be said about it; undefined when they don't go together. */
function combined(window: MixedWindow, a: NativeHistogram, b: NativeHistogram, sign: 1 | -1, operation: string) {
  const result = combine(a, b, sign);
  if (result === undefined) {
    window.warn(mixedSchemas);
    return undefined;
  }
  if (result.boundsDiffered) window.info(reconciled(operation));
  return result.histogram;
}

export const valueAtStart: MixedWindowFunction = ({ histograms, values, from }) => histograms[from] ?? values[from];
export const valueAtEnd: MixedWindowFunction = ({ histograms, values, to }) => histograms[to - 1] ?? values[to - 1];

export const sumOfHistograms: MixedWindowFunction = (window) => total(window, allHistograms(window));

export const avgOfHistograms: MixedWindowFunction = (window) => {
  const all = allHistograms(window);
  const sum = total(window, all);
  return all && sum && divide(sum, all.length);
};

function total(window: MixedWindow, all: readonly NativeHistogram[] | undefined): NativeHistogram | undefined {
  const [first, ...rest] = all ?? [];
  let sum = first;
  for (const next of rest) sum = sum && combined(window, sum, next, 1, 'aggregation');
  return sum;
}

/** A change of kind is a change, too. */
export const changesOfSamples: MixedWindowFunction = (window) => {
  const samples = samplesOf(window);
  return samples.slice(1).filter((sample, i) => {
    const before = samples[i];
    if (before === undefined) return false;
    if (sample.histogram === undefined || before.histogram === undefined) {
      if (sample.histogram !== before.histogram) return true;
      return sample.value !== before.value && !(Number.isNaN(sample.value) && Number.isNaN(before.value));
    }
    return !sameHistogram(sample.histogram, before.histogram);
  }).length;
};

/** A change of kind is a reset, too. */
export const resetsOfSamples: MixedWindowFunction = (window) => {
  const samples = samplesOf(window);
  return samples.slice(1).filter((sample, i) => {
    const before = samples[i];
    if (before === undefined) return false;
    if (sample.histogram === undefined || before.histogram === undefined) {
      return sample.histogram !== before.histogram || sample.value < before.value;
    }
    return isReset(before.histogram, sample.histogram);
  }).length;
};

interface Kind {
  counter: boolean;
  perSecond: boolean;
}

export const rateOfHistograms: MixedWindowFunction = (window) =>
  extrapolated(window, { counter: true, perSecond: true });
export const increaseOfHistograms: MixedWindowFunction = (window) =>
  extrapolated(window, { counter: true, perSecond: false });
export const deltaOfHistograms: MixedWindowFunction = (window) =>
  extrapolated(window, { counter: false, perSecond: false });
export const irateOfHistograms: MixedWindowFunction = (window) =>
  betweenLastTwo(window, { counter: true, perSecond: true });
export const ideltaOfHistograms: MixedWindowFunction = (window) =>
  betweenLastTwo(window, { counter: false, perSecond: false });

/** A bound farther than this many sample intervals away is not extrapolated to. */
const THRESHOLD = 1.1;

/** As `extrapolated` of numbers, where the count of observations decides how far back the series can reach. */
function extrapolated(window: MixedWindow, kind: Kind): NativeHistogram | undefined {
  const all = allHistograms(window);
  const [first] = all ?? [];
  if (all === undefined || first === undefined || all.length < 2) return undefined;
  const change = changeOver(window, all, kind.counter);
  if (change === undefined) return undefined;
  const firstMs = window.timesMs[window.from] ?? 0;
  const lastMs = window.timesMs[window.to - 1] ?? 0;
  const sampled = (lastMs - firstMs) / 1000;
  const interval = sampled / (all.length - 1);
  let toStart = (firstMs - window.startMs) / 1000;
  let toEnd = (window.endMs - lastMs) / 1000;
  if (toStart >= interval * THRESHOLD) toStart = interval / 2;
  if (kind.counter && change.count > 0 && first.count >= 0) {
    toStart = Math.min(toStart, sampled * (first.count / change.count));
  }
  if (toEnd >= interval * THRESHOLD) toEnd = interval / 2;
  let factor = (sampled + toStart + toEnd) / sampled;
  if (kind.perSecond) factor /= (window.endMs - window.startMs) / 1000;
  return scale(change, factor);
}

/** From the first sample to the last, what was counted before each reset added. */
function changeOver(window: MixedWindow, all: readonly NativeHistogram[], counter: boolean) {
  const [first, second] = all;
  const last = all.at(-1);
  if (first === undefined || second === undefined || last === undefined) return undefined;
  noteKind(window, counter ? all : [first, last], counter);
  let previous = first;
  // A reset right behind it makes the first sample irrelevant, and so is its layout.
  if (counter && isReset(first, second)) previous = emptyLike(second);
  let change = combined(window, last, previous, -1, 'subtraction');
  if (!counter) return change && gauge(change);
  for (const current of all.slice(1)) {
    if (change !== undefined && isReset(previous, current)) change = combined(window, change, previous, 1, 'addition');
    previous = current;
  }
  return change && gauge(change);
}

function emptyLike(histogram: NativeHistogram): NativeHistogram {
  const none = { spans: [], counts: [] };
  return { ...histogram, resetHint: 'unknown', count: 0, sum: 0, zeroCount: 0, positive: none, negative: none };
}

function gauge(histogram: NativeHistogram): NativeHistogram {
  return { ...histogram, resetHint: 'gauge' };
}

/** Tells when histograms are of the other kind than the function is for. */
function noteKind(window: MixedWindow, histograms: readonly NativeHistogram[], counter: boolean): void {
  const isGauge = ({ resetHint }: NativeHistogram) => resetHint === 'gauge';
  if (counter && histograms.some(isGauge)) {
    window.warn((metric) => `this native histogram metric is not a counter: ${JSON.stringify(metric)}`);
  }
  if (!counter && !histograms.every(isGauge)) {
    window.warn((metric) => `this native histogram metric is not a gauge: ${JSON.stringify(metric)}`);
  }
}

function betweenLastTwo(window: MixedWindow, kind: Kind): number | NativeHistogram | undefined {
  const [before, last] = samplesOf(window).slice(-2);
  if (before === undefined || last === undefined || before.timeMs === last.timeMs) return undefined;
  const seconds = (last.timeMs - before.timeMs) / 1000;
  if (before.histogram === undefined && last.histogram === undefined) {
    const change = kind.counter && last.value < before.value ? last.value : last.value - before.value;
    return kind.perSecond ? change / seconds : change;
  }
  if (before.histogram === undefined || last.histogram === undefined) {
    window.warn(mixedSamples);
    return undefined;
  }
  noteKind(window, [before.histogram, last.histogram], kind.counter);
  const change =
    kind.counter && isReset(before.histogram, last.histogram)
      ? last.histogram
      : combined(window, last.histogram, before.histogram, -1, 'subtraction');
  if (change === undefined) return undefined;
  return kind.perSecond ? divide(gauge(change), seconds) : gauge(change);
}
