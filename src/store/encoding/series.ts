import { type LabelSet, METRIC_NAME, type Series } from '../../model/index.ts';
import { encodeBlock, LowCardinalityColumn, MapColumn, PlainColumn, TextColumn } from '../clickhouse/native/encode.ts';
import { HourCoverage } from './coverage.ts';
import { TextHash } from './hash.ts';

/** A series as the tables know it. */
export interface SeriesId {
  metric: string;
  metricId: number;
  low: number;
  high: number;
}

const idsOfSeries = new WeakMap<Series, SeriesId>();

/** Receivers that see the same series again hand over the same object, so its id is remembered with it. */
export function seriesId(series: Series): SeriesId {
  const known = idsOfSeries.get(series);
  if (known) return known;
  const id = computeId(series);
  idsOfSeries.set(series, id);
  return id;
}

function computeId(series: Series): SeriesId {
  const { labels } = series;
  const hash = new TextHash();
  hash.add(series.cluster);
  let metric = '';
  for (let i = 0; i < labels.length; i++) hash.add(labels[i] ?? '');
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === METRIC_NAME) metric = labels[i + 1] ?? '';
  const { low, high } = hash.finish();
  return { metric, metricId: metricIdOf(metric), low, high };
}

const metricIds = new Map<string, number>();

function metricIdOf(metric: string): number {
  const known = metricIds.get(metric);
  if (known !== undefined) return known;
  const hash = new TextHash();
  hash.add(metric);
  const id = hash.finish().low;
  if (metricIds.size < 100_000) metricIds.set(metric, id);
  return id;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS_REMEMBERED = 4;

/**
 * Says when a series needs a row: with its first sample since the process began and then once an hour, at a minute of its
 * own, so that a million series do not come at once. Rows end with their day.
 */
export class SeriesRegister {
  private readonly days = new Map<number, HourCoverage>();

  /** Whether a row was stored for this hour of the series. */
  has(id: SeriesId, span: SeriesHour): boolean {
    return this.days.get(span.day)?.has(id.low, id.high, span.hour) ?? false;
  }

  /** Remembers rows, once they are on disk. */
  stored(rows: readonly { id: SeriesId; span: SeriesHour }[]): void {
    for (const { id, span } of rows) {
      let coverage = this.days.get(span.day);
      if (!coverage) {
        coverage = new HourCoverage();
        this.days.set(span.day, coverage);
        for (const oldest of this.days.keys()) {
          if (this.days.size <= DAYS_REMEMBERED) break;
          this.days.delete(oldest);
        }
      }
      coverage.add(id.low, id.high, span.hour);
    }
  }

  /** Every series gets a row again. */
  forget(): void {
    this.days.clear();
  }
}

/** An hour of one series, cut at midnight UTC. */
export interface SeriesHour {
  day: number;
  /** Number within the day, 0 to 24. */
  hour: number;
  firstMs: number;
  lastMs: number;
}

export function hourOf(id: { low: number }, timeMs: number): SeriesHour {
  const shift = id.low % HOUR_MS;
  const bucket = Math.floor((timeMs + shift) / HOUR_MS);
  const day = Math.floor(timeMs / DAY_MS);
  const dayStart = day * DAY_MS;
  return {
    day,
    hour: bucket - Math.floor((dayStart + shift) / HOUR_MS),
    firstMs: Math.max(bucket * HOUR_MS - shift, dayStart),
    lastMs: Math.min((bucket + 1) * HOUR_MS - shift, dayStart + DAY_MS) - 1,
  };
}

export interface SeriesRow {
  id: SeriesId;
  span: SeriesHour;
  series: Series;
}

export function encodeSeries(rows: readonly SeriesRow[]): Buffer {
  const metric = new LowCardinalityColumn();
  const cluster = new LowCardinalityColumn();
  const metricId = new PlainColumn('UInt32');
  const id = new PlainColumn('UInt64');
  const labels = new MapColumn(new TextColumn(), new TextColumn());
  const first = new PlainColumn("DateTime64(3, 'UTC')");
  const last = new PlainColumn("DateTime64(3, 'UTC')");
  for (const row of rows) {
    metric.push(row.id.metric);
    cluster.push(row.series.cluster);
    metricId.values.uint32(row.id.metricId);
    id.values.uint32(row.id.low);
    id.values.uint32(row.id.high);
    labels.push(row.series, (push) => pushLabels(row.series.labels, push));
    first.values.int64(row.span.firstMs);
    last.values.int64(row.span.lastMs);
  }
  return encodeBlock(rows.length, {
    metric,
    cluster,
    metric_id: metricId,
    series_id: id,
    labels,
    first_ts: first,
    last_ts: last,
  });
}

function pushLabels(labels: LabelSet, push: (key: string, value: string) => void): void {
  for (let i = 0; i < labels.length; i += 2) if (labels[i] !== METRIC_NAME) push(labels[i] ?? '', labels[i + 1] ?? '');
}
