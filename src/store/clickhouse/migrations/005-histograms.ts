import { type Migration, tableSettings } from './migration.ts';

const side = (name: string) => `
  ${name}_offsets Array(Int32) CODEC(ZSTD(1)),
  ${name}_lengths Array(UInt32) CODEC(ZSTD(1)),
  ${name}_counts Array(Float64) CODEC(ZSTD(1)),`;

/** Native histograms, exemplars, and when the counting of a series began. */
export const histograms: Migration = {
  version: 5,
  name: 'native histograms, exemplars, start times',
  statements: [
    `CREATE TABLE IF NOT EXISTS histograms (
  metric_id UInt32 CODEC(ZSTD(1)),
  series_id UInt64 CODEC(ZSTD(1)),
  ts DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  schema Int8,
  integer Bool,
  reset_hint UInt8,
  stale Bool,
  count Float64 CODEC(Delta(8), ZSTD(1)),
  sum Float64 CODEC(Delta(8), ZSTD(1)),
  zero_threshold Float64 CODEC(ZSTD(1)),
  zero_count Float64 CODEC(Delta(8), ZSTD(1)),${side('positive')}${side('negative')}
  custom_bounds Array(Float64) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(ts)
ORDER BY (metric_id, series_id, ts)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS exemplars (
  metric_id UInt32 CODEC(ZSTD(1)),
  series_id UInt64 CODEC(ZSTD(1)),
  ts DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  value Float64 CODEC(ZSTD(1)),
  labels Map(String, String) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(ts)
ORDER BY (metric_id, series_id, ts)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS series_starts (
  metric_id UInt32 CODEC(ZSTD(1)),
  series_id UInt64 CODEC(ZSTD(1)),
  start DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  ts DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(ts)
ORDER BY (metric_id, series_id, start)
${tableSettings}`,
  ],
};
