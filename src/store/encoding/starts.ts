import { encodeBlock, PlainColumn } from '../clickhouse/native/encode.ts';
import type { SeriesId } from './series.ts';

const DAY_MS = 86_400_000;

/** That the counting of a series began at `startMs`, as a sample of `timeMs` said. */
export interface StartRow {
  id: SeriesId;
  startMs: number;
  timeMs: number;
}

/** Samples of either kind with their start times. */
interface StartedBatch {
  seriesOf: Uint32Array;
  timesMs: Float64Array;
  startsMs?: Float64Array;
}

/** Says when a start has to be written: when it changes, and once a day, so that it does not expire before its samples. */
export class StartsRegister {
  private known = new WeakMap<SeriesId, { startMs: number; day: number }>();

  due(batch: StartedBatch, ids: readonly SeriesId[]): StartRow[] {
    const { startsMs } = batch;
    if (startsMs === undefined) return [];
    const rows: StartRow[] = [];
    const last = new Map<SeriesId, { startMs: number; day: number }>();
    for (let i = 0; i < startsMs.length; i++) {
      const startMs = startsMs[i] ?? Number.NaN;
      const id = ids[batch.seriesOf[i] ?? 0];
      if (Number.isNaN(startMs) || id === undefined) continue;
      const timeMs = batch.timesMs[i] ?? 0;
      const day = Math.floor(timeMs / DAY_MS);
      const before = last.get(id) ?? this.known.get(id);
      if (before?.startMs === startMs && before.day === day) continue;
      last.set(id, { startMs, day });
      rows.push({ id, startMs, timeMs });
    }
    return rows;
  }

  /** Remembers rows, once they are on disk. */
  stored(rows: readonly StartRow[]): void {
    for (const { id, startMs, timeMs } of rows) this.known.set(id, { startMs, day: Math.floor(timeMs / DAY_MS) });
  }

  forget(): void {
    this.known = new WeakMap();
  }
}

export function encodeStarts(rows: readonly StartRow[]): Buffer {
  const metricId = new PlainColumn('UInt32');
  const id = new PlainColumn('UInt64');
  const start = new PlainColumn("DateTime64(3, 'UTC')");
  const ts = new PlainColumn("DateTime64(3, 'UTC')");
  for (const row of rows) {
    metricId.values.uint32(row.id.metricId);
    id.values.uint32(row.id.low);
    id.values.uint32(row.id.high);
    start.values.int64(row.startMs);
    ts.values.int64(row.timeMs);
  }
  return encodeBlock(rows.length, { metric_id: metricId, series_id: id, start, ts });
}
