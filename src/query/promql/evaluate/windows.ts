import type { Query } from './query.ts';
import { type Points, type RangeValue, type Row, timeOf } from './values.ts';

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

/** The answer for one window; undefined when there is none. */
export type WindowFunction = (window: Window) => number | undefined;

/** Applies a function to each window of each series. */
export async function overWindows(
  range: RangeValue,
  apply: WindowFunction,
  options: { params: readonly Float64Array[]; points: Points; query: Query },
): Promise<Row[]> {
  const { params, points, query } = options;
  const rows: Row[] = [];
  for (const series of range.rows) {
    if (query.budget.isDue()) await query.budget.pause();
    query.budget.spend(points.steps);
    const row: Row = {
      labels: series.labels,
      dropName: series.dropName,
      values: new Float64Array(points.steps),
      present: new Uint8Array(points.steps),
    };
    const { timesMs, values } = series;
    const window: Window = { timesMs, values, from: 0, to: 0, startMs: 0, endMs: 0, atMs: 0, step: 0, params };
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
      if (value === undefined) continue;
      row.values[step] = value;
      row.present[step] = 1;
    }
    rows.push(row);
  }
  return rows;
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
