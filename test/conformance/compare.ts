import { type LabelSet, labelKey, labelRecord, type NativeHistogram } from '../../src/model/index.ts';
import { formatNumber, type MatrixSeries, type QueryResult, type VectorSample } from '../../src/query/index.ts';
import { describeHistogram } from '../../src/query/promql/histograms/index.ts';
import { toSparse } from '../../src/query/promql/histograms/sparse.ts';
import type { Evaluation, TextTest } from './script.ts';
import type { LoadedSeries, Point } from './series.ts';

/** Why a result is not what the script expects; undefined when it is. */
export function compareResult(evaluation: Evaluation, result: QueryResult): string | undefined {
  const { expect } = evaluation;
  return (
    compareTexts('warning', expect.warn, expect.noWarn, result.warnings) ??
    compareTexts('info', expect.info, expect.noInfo, result.infos) ??
    compareValue(evaluation, result)
  );
}

/** Whether an error's text is the expected one. */
export function matchesText(test: TextTest, text: string): boolean {
  if (test.kind === 'any') return true;
  return test.kind === 'message'
    ? text === test.text || text.endsWith(`: ${test.text}`)
    : new RegExp(test.text).test(text);
}

function compareTexts(
  what: string,
  wanted: TextTest | undefined,
  none: boolean | undefined,
  texts: string[],
): string | undefined {
  if (wanted && !texts.some((text) => matchesText(wanted, text)))
    return `no such ${what} (${texts.join('; ') || 'none'})`;
  return none && texts.length > 0 ? `unexpected ${what}: ${texts.join('; ')}` : undefined;
}

function compareValue(evaluation: Evaluation, { value }: QueryResult): string | undefined {
  const { expect, scalar, series } = evaluation;
  if (expect.string !== undefined) {
    return value.kind === 'string' && value.value === expect.string
      ? undefined
      : `expected the string ${expect.string}`;
  }
  if (scalar !== undefined) {
    return value.kind === 'scalar' && almostEqual(value.value, scalar) ? undefined : `expected ${scalar}`;
  }
  if (value.kind === 'vector') {
    const wanted = series.map((one) => ({ labels: one.labels, point: one.points[0] ?? 'missing' }));
    if (expect.ordered) return compareOrdered(wanted, value.samples);
    return compareSets(
      wanted.map(({ labels, point }) => ({ labels, points: [point] })),
      value.samples.map(({ labels, value, histogram }) => ({ labels, points: [histogram ?? value] })),
    );
  }
  if (value.kind === 'matrix') return compareSets(series, gridded(evaluation, value.series));
  return series.length > 0 ? 'expected series' : undefined;
}

function compareOrdered(
  wanted: { labels: LabelSet; point: Point }[],
  got: readonly VectorSample[],
): string | undefined {
  if (wanted.length !== got.length) return `expected ${wanted.length} elements`;
  const at = wanted.findIndex(({ labels, point }, i) => {
    const element = got[i];
    return (
      !element || labelKey(labels) !== labelKey(element.labels) || !samePoint(point, element.histogram ?? element.value)
    );
  });
  return at < 0 ? undefined : `element ${at} differs`;
}

/** A matrix as points per step, missing ones named, so that it compares to the script's notation. */
function gridded(evaluation: Evaluation, series: readonly MatrixSeries[]): LoadedSeries[] {
  const { at, expect } = evaluation;
  const grid = expect.rangeVector ?? (at.kind === 'range' ? at : { startMs: at.timeMs, stepMs: 1 });
  return series.map(({ labels, timesMs, values, histograms }) => {
    const points: Point[] = [];
    const place = (time: number) => Math.round((time - grid.startMs) / grid.stepMs);
    timesMs.forEach((time, i) => {
      points[place(time)] = values[i] ?? 0;
    });
    for (const { timeMs, value } of histograms ?? []) points[place(timeMs)] = value;
    return { labels, points: Array.from(points, (point) => point ?? 'missing') };
  });
}

function compareSets(wanted: readonly LoadedSeries[], got: readonly LoadedSeries[]): string | undefined {
  const byKey = new Map(got.map((one) => [labelKey(one.labels), one]));
  for (const { labels, points } of wanted) {
    const found = byKey.get(labelKey(labels));
    if (!found) {
      if (points.every((point) => point === 'missing')) continue;
      return `missing ${show(labels)}`;
    }
    byKey.delete(labelKey(labels));
    const length = Math.max(points.length, found.points.length);
    for (let i = 0; i < length; i++) {
      if (!samePoint(points[i] ?? 'missing', found.points[i] ?? 'missing')) return `${show(labels)} differs at ${i}`;
    }
  }
  const [extra] = byKey.values();
  return extra && `unexpected ${show(extra.labels)}`;
}

function samePoint(a: Point, b: Point): boolean {
  if (typeof a === 'number' && typeof b === 'number') return almostEqual(a, b);
  return typeof a === 'object' && typeof b === 'object' ? sameHistogram(a, b) : a === b;
}

/** Empty buckets do not count, and a reset hint only where one is expected. */
function sameHistogram(wanted: NativeHistogram, got: NativeHistogram): boolean {
  const numbers = (one: NativeHistogram) => {
    const [positive, negative] = [toSparse(one.positive), toSparse(one.negative)];
    return [
      one.schema, one.count, one.sum, one.zeroThreshold, one.zeroCount, positive.indexes.length,
      ...positive.indexes, ...positive.counts, ...negative.indexes, ...negative.counts, ...one.customBounds,
    ]; // biome-ignore format: a list to read
  };
  const [left, right] = [numbers(wanted), numbers(got)];
  const hintFits = wanted.resetHint === 'unknown' || wanted.resetHint === got.resetHint;
  return (
    hintFits && left.length === right.length && left.every((value, i) => almostEqual(value, right[i] ?? Number.NaN))
  );
}

/** Within a relative tolerance of 1e-6; NaN equals NaN. */
function almostEqual(a: number, b: number): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.isNaN(a) && Number.isNaN(b);
  if (a === 0 || b === 0) return Math.abs(a - b) < 1e-6 * Number.MIN_VALUE;
  return Math.abs(a - b) / Math.min(Math.abs(a) + Math.abs(b), Number.MAX_VALUE) < 1e-6;
}

function show(labels: LabelSet): string {
  return JSON.stringify(labelRecord(labels));
}

/** The result in a few words for a report. */
export function showResult({ value }: QueryResult): string {
  switch (value.kind) {
    case 'scalar':
      return formatNumber(value.value);
    case 'string':
      return JSON.stringify(value.value);
    case 'vector':
      return (
        value.samples
          .map(
            ({ labels, value, histogram }) =>
              `${show(labels)} ${histogram ? describeHistogram(histogram) : formatNumber(value)}`,
          )
          .join('\n') || '(empty)'
      );
    case 'matrix':
      return (
        value.series
          .map(({ labels, values, histograms = [] }) =>
            [
              show(labels),
              ...[...values].map(formatNumber),
              ...histograms.map((one) => describeHistogram(one.value)),
            ].join(' '),
          )
          .join('\n') || '(empty)'
      );
  }
}
