import { type Exemplar, labelPairs, type Series } from '../../model/index.ts';
import { encodeBlock, MapColumn, PlainColumn, TextColumn } from '../clickhouse/native/encode.ts';
import { seriesId } from './series.ts';

/** Exemplars as a block of their table. */
export function encodeExemplars(exemplars: readonly Exemplar[]): Buffer {
  const metricId = new PlainColumn('UInt32');
  const id = new PlainColumn('UInt64');
  const ts = new PlainColumn("DateTime64(3, 'UTC')");
  const value = new PlainColumn('Float64');
  const labels = new MapColumn(new TextColumn(), new TextColumn());
  for (const exemplar of exemplars) {
    const of = seriesId(exemplar.series);
    metricId.values.uint32(of.metricId);
    id.values.uint32(of.low);
    id.values.uint32(of.high);
    ts.values.int64(exemplar.timeMs);
    value.values.float64(exemplar.value);
    labels.push(exemplar.labels, (push) => {
      for (const [name, text] of labelPairs(exemplar.labels)) push(name, text);
    });
  }
  return encodeBlock(exemplars.length, { metric_id: metricId, series_id: id, ts, value, labels });
}

/** The series that exemplars name, in columns. */
export function appearances(exemplars: readonly Exemplar[]): {
  series: Series[];
  seriesOf: Uint32Array;
  timesMs: Float64Array;
} {
  return {
    series: exemplars.map(({ series }) => series),
    seriesOf: Uint32Array.from(exemplars.keys()),
    timesMs: Float64Array.from(exemplars, ({ timeMs }) => timeMs),
  };
}
