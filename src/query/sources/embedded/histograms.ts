import {
  type HistogramBuckets,
  type LabelSet,
  type NativeHistogram,
  type ResetHint,
  setStaleAt,
} from '../../../model/index.ts';
import type { ClickHousePort, ColumnBlock, ColumnValue } from '../../../store/index.ts';
import { bind, sql } from '../../sql/index.ts';
import type { ReadOptions, SampleColumns } from '../contract.ts';
import { milliseconds } from './conditions.ts';
import { readBlocks, uint64 } from './read.ts';
import type { FoundSeries } from './series.ts';

interface Span {
  afterMs: number;
  throughMs: number;
}

/** Whether any series of these metrics has native histograms in the window. */
export async function hasHistograms(
  port: ClickHousePort,
  { metricIds }: FoundSeries,
  window: Span,
  read: ReadOptions,
): Promise<boolean> {
  const query = sql`SELECT series_id FROM histograms WHERE metric_id IN ${bind('Array(UInt32)', metricIds)}
AND ts > ${milliseconds(window.afterMs)} AND ts <= ${milliseconds(window.throughMs)} LIMIT 1`;
  for await (const block of readBlocks(port, query, read, { limit: 'samples', count: 1 })) {
    if (uint64(block, 'series_id').length > 0) return true;
  }
  return false;
}

/**
 * Native histograms of one series in order of time, one per millisecond. Of several that were sent for the same one, always the
 * same: that of the most observations, since which came first is not stored.
 */
export interface HistogramRun {
  timesMs: number[];
  values: NativeHistogram[];
}

export async function readHistograms(
  port: ClickHousePort,
  { condition }: FoundSeries,
  window: Span,
  read: ReadOptions,
): Promise<Map<bigint, HistogramRun>> {
  const query = sql`SELECT series_id, toFloat64(toUnixTimestamp64Milli(ts)) AS time, schema, integer, reset_hint, stale, count, sum,
zero_threshold, zero_count, positive_offsets, positive_lengths, positive_counts, negative_offsets, negative_lengths, negative_counts,
custom_bounds FROM histograms
WHERE ${condition} AND ts > ${milliseconds(window.afterMs)} AND ts <= ${milliseconds(window.throughMs)}
ORDER BY series_id, ts, count DESC, sum DESC, cityHash64(schema, integer, reset_hint, stale, zero_threshold, zero_count,
  positive_offsets, positive_lengths, positive_counts, negative_offsets, negative_lengths, negative_counts, custom_bounds)`;
  const runs = new Map<bigint, HistogramRun>();
  for await (const block of readBlocks(port, query, read, { limit: 'samples', count: read.limits.samples })) {
    const cell = cellsOf(block);
    for (const [row, id] of uint64(block, 'series_id').entries()) {
      const run = runs.get(id) ?? { timesMs: [], values: [] };
      runs.set(id, run);
      const timeMs = Number(cell('time', row));
      if (run.timesMs.at(-1) === timeMs) continue;
      run.timesMs.push(timeMs);
      run.values.push(histogramOf(cell, row));
    }
  }
  return runs;
}

type Cells = (column: string, row: number) => ColumnValue | undefined;

function cellsOf(block: ColumnBlock): Cells {
  return (column, row) => block.columns.get(column)?.[row];
}

const RESET_HINTS: readonly ResetHint[] = ['unknown', 'yes', 'no', 'gauge'];

function histogramOf(cell: Cells, row: number): NativeHistogram {
  const number = (column: string) => Number(cell(column, row));
  const side = (name: string): HistogramBuckets => {
    const offsets = numbers(cell(`${name}_offsets`, row));
    const lengths = numbers(cell(`${name}_lengths`, row));
    return {
      spans: offsets.map((offset, i) => ({ offset, length: lengths[i] ?? 0 })),
      counts: numbers(cell(`${name}_counts`, row)),
    };
  };
  return {
    schema: number('schema'),
    integer: number('integer') === 1,
    resetHint: RESET_HINTS[number('reset_hint')] ?? 'unknown',
    stale: number('stale') === 1,
    count: number('count'),
    sum: number('sum'),
    zeroThreshold: number('zero_threshold'),
    zeroCount: number('zero_count'),
    positive: side('positive'),
    negative: side('negative'),
    customBounds: numbers(cell('custom_bounds', row)),
  };
}

function numbers(value: ColumnValue | undefined): number[] {
  if (value === undefined || value === null || typeof value !== 'object' || value instanceof Map) return [];
  return Array.from(value, Number);
}

/**
 * Numbers and histograms of the same series as one sequence. Of both at one time the number counts. A histogram's stale
 * marker becomes that of numbers, since it ends the series whatever its samples were.
 */
export function withHistograms(
  columns: SampleColumns,
  ids: readonly bigint[],
  runs: ReadonlyMap<bigint, HistogramRun>,
  labelsOf: ReadonlyMap<bigint, LabelSet>,
): SampleColumns {
  if (runs.size === 0) return columns;
  const places = new Map(ids.map((id, place) => [id, place]));
  const all = [...new Set([...ids, ...runs.keys()])];
  const added = [...runs.values()].reduce((sum, run) => sum + run.timesMs.length, 0);
  const timesMs = new Float64Array(columns.timesMs.length + added);
  const values = new Float64Array(timesMs.length);
  const histograms: (NativeHistogram | undefined)[] = new Array(timesMs.length);
  const offsets: number[] = [0];
  let to = 0;
  for (const id of all) {
    const place = places.get(id);
    const end = place === undefined ? 0 : (columns.offsets[place + 1] ?? 0);
    let next = place === undefined ? 0 : (columns.offsets[place] ?? 0);
    const run = runs.get(id) ?? { timesMs: [], values: [] };
    for (const [i, timeMs] of [...run.timesMs, Number.POSITIVE_INFINITY].entries()) {
      let taken = false;
      while (next < end && (columns.timesMs[next] ?? 0) <= timeMs) {
        taken ||= columns.timesMs[next] === timeMs;
        timesMs[to] = columns.timesMs[next] ?? 0;
        values.set(columns.values.subarray(next, next + 1), to++);
        next++;
      }
      const histogram = run.values[i];
      if (taken || histogram === undefined) continue;
      timesMs[to] = timeMs;
      if (histogram.stale) setStaleAt(values, to);
      else histograms[to] = histogram;
      to++;
    }
    offsets.push(to);
  }
  return {
    series: all.map((id) => labelsOf.get(id) ?? []),
    offsets: Uint32Array.from(offsets),
    timesMs: timesMs.subarray(0, to),
    values: values.subarray(0, to),
    histograms: histograms.slice(0, to),
  };
}
