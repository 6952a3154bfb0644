import { labelValue, METRIC_NAME, type NativeHistogram } from '../../../model/index.ts';
import type { Span } from '../syntax/index.ts';
import type { Query } from './query.ts';
import {
  emptyRow,
  type Histograms,
  type Points,
  type RangeValue,
  type Row,
  type SampleRow,
  setElement,
  timeOf,
} from './values.ts';

/**
 * One window of samples: `values[from]` to `values[to - 1]`, at least one. Reused from window to window; read it at once.
 */
export interface Window {
  timesMs: Float64Array;
  values: Float64Array;
  from: number;
  to: number;
  /** Bounds: samples have `startMs < time <= endMs`. */
  startMs: number;
  endMs: number;
  /** When the expression is evaluated; differs from `endMs` under `offset` and `@`. */
  atMs: number;
  step: number;
  /** Scalar arguments, one number per step each. */
  params: readonly Float64Array[];
}

/** The answer for one window of numbers; undefined when there is none. */
export type WindowFunction = (window: Window) => number | undefined;

/** A window in which some samples are native histograms: those of them that `histograms` has. */
export interface MixedWindow extends Window {
  histograms: Histograms;
  /** Tells the query's author, naming the metric. */
  warn(text: (metric: string) => string): void;
  info(text: (metric: string) => string): void;
}

/** The answer for one window with native histograms. */
export type MixedWindowFunction = (window: MixedWindow) => number | NativeHistogram | undefined;

/** What is made of a window: of numbers by `apply`, of native histograms by `mixed`. Without that they are left out. */
export interface WindowRule {
  apply: WindowFunction;
  mixed?: MixedWindowFunction;
}

interface WindowOptions {
  params: readonly Float64Array[];
  points: Points;
  query: Query;
  /** The argument's place in the query. */
  at: Span;
}

/** Applies a function to each window of each series. */
export async function overWindows(range: RangeValue, rule: WindowRule, options: WindowOptions): Promise<Row[]> {
  const { points, query } = options;
  const rows: Row[] = [];
  for (const series of range.rows) {
    if (query.budget.isDue()) await query.budget.pause();
    query.budget.spend(points.steps);
    const { apply, row: numbers } = ruleFor(series, rule, options);
    const row = emptyRow(series.labels, series.dropName, points.steps);
    const window = firstWindow(numbers, options);
    let since = 0;
    for (let step = 0; step < points.steps; step++) {
      advance(window, range, step);
      window.atMs = timeOf(points, step);
      if (window.to <= window.from) continue;
      since += window.to - window.from;
      if (since > CHECK_EVERY) {
        since = 0;
        if (query.budget.isDue()) await query.budget.pause();
      }
      const value = apply(window);
      if (typeof value === 'number') {
        row.values[step] = value;
        row.present[step] = 1;
      } else if (value !== undefined) setElement(row, step, value);
    }
    rows.push(row);
  }
  return rows;
}

function firstWindow({ timesMs, values }: SampleRow, { params }: WindowOptions): Window {
  return { timesMs, values, from: 0, to: 0, startMs: 0, endMs: 0, atMs: 0, step: 0, params };
}

/** The function for a series' windows, and the samples that it is for. */
function ruleFor(
  series: SampleRow,
  { apply, mixed }: WindowRule,
  { query, at }: WindowOptions,
): { apply: (window: Window) => number | NativeHistogram | undefined; row: SampleRow } {
  const { histograms } = series;
  if (histograms === undefined) return { apply, row: series };
  const metric = labelValue(series.labels, METRIC_NAME);
  const info = (text: (metric: string) => string) => query.annotations.info(text(metric), at);
  const warn = (text: (metric: string) => string) => query.annotations.warn(text(metric), at);
  if (mixed !== undefined) {
    return {
      row: series,
      apply: (window) =>
        hasHistogram(histograms, window) ? mixed({ ...window, histograms, info, warn }) : apply(window),
    };
  }
  const numbers = numbersOf(series, histograms);
  const times = Float64Array.from(
    [...histograms.keys()].filter((i) => histograms[i] !== undefined),
    (i) => series.timesMs[i] ?? 0,
  );
  return {
    row: numbers,
    apply: (window) => {
      if (times.some((time) => time > window.startMs && time <= window.endMs)) info(ignoredHistograms);
      return apply(window);
    },
  };
}

function ignoredHistograms(metric: string): string {
  return `ignored histograms in a range containing both floats and histograms for metric name ${JSON.stringify(metric)}`;
}

function hasHistogram(histograms: Histograms, { from, to }: Window): boolean {
  for (let i = from; i < to; i++) if (histograms[i] !== undefined) return true;
  return false;
}

function numbersOf({ labels, dropName, timesMs, values }: SampleRow, histograms: Histograms): SampleRow {
  const isNumber = (_: number, i: number) => histograms[i] === undefined;
  return { labels, dropName, timesMs: timesMs.filter(isNumber), values: values.filter(isNumber) };
}

/** Samples looked at between two looks at the clock. */
const CHECK_EVERY = 100_000;

/** Moves the window to a step; steps only go forward, so the bounds do too. */
function advance(window: Window, range: RangeValue, step: number): void {
  const endMs = range.endMs(step);
  window.step = step;
  window.endMs = endMs;
  window.startMs = endMs - range.rangeMs;
  const { timesMs } = window;
  while (window.to < timesMs.length && (timesMs[window.to] ?? 0) <= endMs) window.to++;
  while (window.from < window.to && (timesMs[window.from] ?? 0) <= window.startMs) window.from++;
}
