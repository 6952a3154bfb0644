import { compareLabels, type LabelSet } from '../../../model/index.ts';
import type { GridColumns, GridFunction, SampleColumns } from '../../sources/index.ts';
import type { RangeSelector, VectorSelector } from '../syntax/index.ts';
import { durationMs, type Query, resolveShift } from './query.ts';
import { staleTest, withoutStale } from './stale.ts';
import { emptyRow, lastTime, type Points, type RangeValue, type Row, setElement, timeOf } from './values.ts';

/** The newest sample within the look-back at every point; none where that is a stale marker. */
export async function selectInstant(selector: VectorSelector, points: Points, query: Query): Promise<Row[]> {
  const { sampled, spread } = shiftPoints(selector, points, query);
  const pushed = await readGrid(selector, 'last', query.lookbackMs, sampled, query);
  return spread(pushed ?? (await readNewest(selector, sampled, 'value', query)));
}

/** As `selectInstant`, with the samples' own times in seconds as values. */
export async function selectTimestamps(selector: VectorSelector, points: Points, query: Query): Promise<Row[]> {
  const { sampled, spread } = shiftPoints(selector, points, query);
  return spread(await readNewest(selector, sampled, 'time', query));
}

async function readNewest(
  selector: VectorSelector,
  points: Points,
  what: 'value' | 'time',
  query: Query,
): Promise<Row[]> {
  const { lookbackMs } = query;
  return newest(await readSamples(selector, lookbackMs, points, query), { points, lookbackMs }, what, query);
}

/** The samples that the windows of all points need. */
export async function selectRange(range: RangeSelector, points: Points, query: Query): Promise<RangeValue> {
  const rangeMs = durationMs(range.range, query);
  const { sampled, fixed } = shiftPoints(range.selector, points, query);
  const columns = await readSamples(range.selector, rangeMs, sampled, query);
  const rows = columns.series.map((labels, i) => ({
    labels,
    dropName: false,
    ...withoutStale(
      columns.timesMs.subarray(columns.offsets[i], columns.offsets[i + 1]),
      columns.values.subarray(columns.offsets[i], columns.offsets[i + 1]),
      columns.histograms?.slice(columns.offsets[i], columns.offsets[i + 1]),
    ),
  }));
  return {
    rows: inOrder(rows.filter((row) => row.values.length > 0)),
    rangeMs,
    endMs: fixed ? () => sampled.startMs : (step) => timeOf(sampled, step),
    fixed,
  };
}

/** The function of every window where the samples are; undefined when the source can't. */
export async function selectPushed(
  range: RangeSelector,
  name: GridFunction,
  points: Points,
  query: Query,
): Promise<Row[] | undefined> {
  const { sampled, spread } = shiftPoints(range.selector, points, query);
  const rows = await readGrid(range.selector, name, durationMs(range.range, query), sampled, query);
  return rows && spread(rows);
}

interface Shifted {
  /** The points in the time of the samples. */
  sampled: Points;
  fixed: boolean;
  /** From rows at the sampled points to rows at the query's points. */
  spread: (rows: Row[]) => Row[];
}

/** Applies `offset` and `@`, so that nobody below has to know of them. */
export function shiftPoints(selector: VectorSelector, points: Points, query: Query): Shifted {
  const { atMs, offsetMs } = resolveShift(selector.time, query);
  if (atMs === undefined) {
    return { sampled: { ...points, startMs: points.startMs - offsetMs }, fixed: false, spread: (rows) => rows };
  }
  const sampled = { startMs: atMs - offsetMs, stepMs: points.stepMs, steps: 1 };
  return { sampled, fixed: true, spread: (rows) => rows.map((row) => repeat(row, points.steps)) };
}

/** A row of one point as one of many, the same at each. */
export function repeat(row: Row, steps: number): Row {
  const repeated: Row = {
    ...row,
    values: new Float64Array(steps).fill(row.values[0] ?? 0),
    present: new Uint8Array(steps).fill(row.present[0] ?? 0),
  };
  if (row.histograms) repeated.histograms = new Array(steps).fill(row.histograms[0]);
  return repeated;
}

function readSamples(selector: VectorSelector, windowMs: number, points: Points, query: Query): Promise<SampleColumns> {
  return query.reader.samples({
    matchers: selector.matchers,
    afterMs: points.startMs - windowMs,
    throughMs: lastTime(points),
    scope: query.scope,
  });
}

async function readGrid(
  selector: VectorSelector,
  name: GridFunction,
  windowMs: number,
  points: Points,
  query: Query,
): Promise<Row[] | undefined> {
  const grid = query.reader.grid;
  if (!grid?.functions.has(name) || windowMs <= 0) return undefined;
  const { matchers } = selector;
  const request = { matchers, scope: query.scope, function: name, windowMs, ...points };
  const columns = await query.reader.gridOf(grid, request);
  return columns.incomplete ? undefined : rowsOf(columns, points.steps);
}

/** Rows as views into a grid's columns, in order of their labels whatever order the source has. */
export function rowsOf(grid: GridColumns, steps: number): Row[] {
  const rows = grid.series.map((labels, i) => ({
    labels,
    dropName: false,
    values: grid.values.subarray(i * steps, (i + 1) * steps),
    present: grid.present.subarray(i * steps, (i + 1) * steps),
  }));
  return inOrder(rows);
}

function inOrder<T extends { labels: LabelSet }>(rows: T[]): T[] {
  return rows.sort((a, b) => compareLabels(a.labels, b.labels));
}

async function newest(
  columns: SampleColumns,
  window: { points: Points; lookbackMs: number },
  what: 'value' | 'time',
  query: Query,
): Promise<Row[]> {
  const { points, lookbackMs } = window;
  const isStale = staleTest(columns.values);
  const rows: Row[] = [];
  for (const [series, labels] of columns.series.entries()) {
    if (query.budget.isDue()) await query.budget.pause();
    query.budget.spend(points.steps);
    const row = emptyRow(labels, false, points.steps);
    const first = columns.offsets[series] ?? 0;
    const end = columns.offsets[series + 1] ?? 0;
    let next = first;
    for (let step = 0; step < points.steps; step++) {
      const time = timeOf(points, step);
      while (next < end && (columns.timesMs[next] ?? 0) <= time) next++;
      const at = next - 1;
      if (at < first) continue;
      const sampleTime = columns.timesMs[at] ?? 0;
      if (sampleTime <= time - lookbackMs || isStale(at)) continue;
      row.present[step] = 1;
      if (what === 'time') row.values[step] = sampleTime / 1000;
      else {
        row.values[step] = columns.values[at] ?? 0;
        const histogram = columns.histograms?.[at];
        if (histogram) setElement(row, step, histogram);
      }
    }
    rows.push(row);
  }
  return inOrder(rows);
}
