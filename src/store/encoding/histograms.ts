import type { HistogramBatch, HistogramBuckets, ResetHint } from '../../model/index.ts';
import { ArrayColumn, encodeBlock, PlainColumn } from '../clickhouse/native/encode.ts';
import type { SeriesId } from './series.ts';

const RESET_HINTS: Readonly<Record<ResetHint, number>> = { unknown: 0, yes: 1, no: 2, gauge: 3 };

/** Native histograms as a block of their table; `ids` are those of the batch's series. */
export function encodeHistograms(batch: HistogramBatch, ids: readonly SeriesId[]): Buffer {
  const metricId = new PlainColumn('UInt32');
  const id = new PlainColumn('UInt64');
  const ts = new PlainColumn("DateTime64(3, 'UTC')");
  const schema = new PlainColumn('Int8');
  const integer = new PlainColumn('Bool');
  const resetHint = new PlainColumn('UInt8');
  const stale = new PlainColumn('Bool');
  const count = new PlainColumn('Float64');
  const sum = new PlainColumn('Float64');
  const zeroThreshold = new PlainColumn('Float64');
  const zeroCount = new PlainColumn('Float64');
  const positive = bucketColumns();
  const negative = bucketColumns();
  const customBounds = new ArrayColumn(new PlainColumn('Float64'));
  for (const [i, histogram] of batch.values.entries()) {
    const of = ids[batch.seriesOf[i] ?? 0];
    if (of === undefined) throw new Error(`histogram ${i} names a series that the batch does not hold`);
    metricId.values.uint32(of.metricId);
    id.values.uint32(of.low);
    id.values.uint32(of.high);
    ts.values.int64(batch.timesMs[i] ?? 0);
    schema.values.byte(histogram.schema & 0xff);
    integer.values.byte(histogram.integer ? 1 : 0);
    resetHint.values.byte(RESET_HINTS[histogram.resetHint]);
    stale.values.byte(histogram.stale ? 1 : 0);
    count.values.float64(histogram.count);
    sum.values.float64(histogram.sum);
    zeroThreshold.values.float64(histogram.zeroThreshold);
    zeroCount.values.float64(histogram.zeroCount);
    positive.push(histogram.positive);
    negative.push(histogram.negative);
    pushDoubles(customBounds, histogram.customBounds);
  }
  return encodeBlock(batch.values.length, {
    metric_id: metricId,
    series_id: id,
    ts,
    schema,
    integer,
    reset_hint: resetHint,
    stale,
    count,
    sum,
    zero_threshold: zeroThreshold,
    zero_count: zeroCount,
    positive_offsets: positive.offsets,
    positive_lengths: positive.lengths,
    positive_counts: positive.counts,
    negative_offsets: negative.offsets,
    negative_lengths: negative.lengths,
    negative_counts: negative.counts,
    custom_bounds: customBounds,
  });
}

function bucketColumns() {
  const offsets = new ArrayColumn(new PlainColumn('Int32'));
  const lengths = new ArrayColumn(new PlainColumn('UInt32'));
  const counts = new ArrayColumn(new PlainColumn('Float64'));
  const push = (buckets: HistogramBuckets) => {
    for (const span of buckets.spans) {
      offsets.items.values.uint32(span.offset);
      lengths.items.values.uint32(span.length);
    }
    offsets.endRow(buckets.spans.length);
    lengths.endRow(buckets.spans.length);
    pushDoubles(counts, buckets.counts);
  };
  return { offsets, lengths, counts, push };
}

function pushDoubles(column: ArrayColumn<PlainColumn>, values: readonly number[]): void {
  for (const value of values) column.items.values.float64(value);
  column.endRow(values.length);
}
