import type { SampleBatch, Series } from '../../model/index.ts';
import { encodeBlock, PlainColumn } from '../clickhouse/native/encode.ts';
import { hourOf, type SeriesHour, type SeriesId, type SeriesRegister, type SeriesRow } from './series.ts';

/** Samples as a block of their table; `ids` are those of the batch's series. */
export function encodeSamples(batch: SampleBatch, ids: readonly SeriesId[]): Buffer {
  const count = batch.values.length;
  const metricIds = new Uint32Array(count);
  const seriesIds = new Uint32Array(count * 2);
  const times = new Int32Array(count * 2);
  for (let i = 0; i < count; i++) {
    const id = ids[batch.seriesOf[i] ?? 0];
    if (!id) throw new Error(`sample ${i} names a series that the batch does not hold`);
    metricIds[i] = id.metricId;
    seriesIds[i * 2] = id.low;
    seriesIds[i * 2 + 1] = id.high;
    const time = batch.timesMs[i] ?? 0;
    times[i * 2] = time;
    times[i * 2 + 1] = Math.floor(time / 2 ** 32);
  }
  return encodeBlock(count, {
    metric_id: column('UInt32', metricIds),
    series_id: column('UInt64', seriesIds),
    ts: column("DateTime64(3, 'UTC')", times),
    value: column('Float64', batch.values),
  });
}

/** The values' bytes as they are, so NaN payloads stay. */
function column(type: string, values: Uint32Array | Int32Array | Float64Array): PlainColumn {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const plain = new PlainColumn(type, bytes.length);
  plain.values.raw(bytes);
  return plain;
}

/** What names series at times: samples, native histograms. */
interface Appearances {
  series: readonly Series[];
  seriesOf: Uint32Array;
  timesMs: Float64Array;
}

/** The rows of series that must be stored with the batch: those of hours that have none yet. */
export function newSeries(batch: Appearances, ids: readonly SeriesId[], register: SeriesRegister): SeriesRow[] {
  const rows: SeriesRow[] = [];
  /** By series: the hour that its last sample fell into, which answers for most samples. */
  const lastSpans: (SeriesHour | undefined)[] = new Array(ids.length);
  for (let i = 0; i < batch.timesMs.length; i++) {
    const index = batch.seriesOf[i] ?? 0;
    const time = batch.timesMs[i] ?? 0;
    const lastSpan = lastSpans[index];
    if (lastSpan && time >= lastSpan.firstMs && time <= lastSpan.lastMs) continue;
    const id = ids[index];
    const series = batch.series[index];
    if (!id || !series) continue;
    const span = hourOf(id, time);
    lastSpans[index] = span;
    if (!register.has(id, span)) rows.push({ id, series, span });
  }
  return rows;
}
