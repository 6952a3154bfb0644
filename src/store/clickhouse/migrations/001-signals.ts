import { type Migration, tableSettings } from './migration.ts';

const place = `
  cluster LowCardinality(String),
  namespace LowCardinality(String),
  workload LowCardinality(String),
  pod LowCardinality(String),
  container LowCardinality(String),
  node LowCardinality(String),
  service LowCardinality(String)`;

const attributes = `
  resource Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  resource_types Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
  attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  attribute_types Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
  scope_name LowCardinality(String),
  scope_version LowCardinality(String)`;

export const signals: Migration = {
  version: 1,
  name: 'series, samples, logs, spans, objects',
  statements: [
    `CREATE TABLE IF NOT EXISTS series (
  metric LowCardinality(String),
  cluster LowCardinality(String),
  metric_id UInt32,
  series_id UInt64,
  labels SimpleAggregateFunction(any, Map(String, String)) CODEC(ZSTD(1)),
  first_ts SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(Delta(8), ZSTD(1)),
  last_ts SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(Delta(8), ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY (toYYYYMMDD(last_ts), toYYYYMMDD(first_ts))
ORDER BY (metric, cluster, metric_id, series_id)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS samples (
  metric_id UInt32 CODEC(ZSTD(1)),
  series_id UInt64 CODEC(ZSTD(1)),
  ts DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  value Float64 CODEC(Delta(8), ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(ts)
ORDER BY (metric_id, series_id, ts)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS metric_metadata (
  family String,
  type LowCardinality(String),
  help String CODEC(ZSTD(1)),
  unit LowCardinality(String),
  seen DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(seen)
ORDER BY (family, type, unit, help)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS logs (
  time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
  observed DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),${place},
  severity UInt8 CODEC(ZSTD(1)),
  severity_text LowCardinality(String),
  body String CODEC(ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  flags UInt32 CODEC(ZSTD(1)),
  stream_id UInt64 CODEC(ZSTD(1)),${attributes}
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (toStartOfFiveMinutes(time), cluster, namespace, workload, time)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS spans (
  start DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
  duration_ns Int64 CODEC(T64, ZSTD(1)),${place},
  name LowCardinality(String),
  kind LowCardinality(String),
  status LowCardinality(String),
  status_message String CODEC(ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  parent_span_id FixedString(8) CODEC(ZSTD(1)),${attributes},
  event_times Array(DateTime64(9, 'UTC')) CODEC(ZSTD(1)),
  event_names Array(LowCardinality(String)) CODEC(ZSTD(1)),
  event_attributes Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  link_trace_ids Array(FixedString(16)) CODEC(ZSTD(1)),
  link_span_ids Array(FixedString(8)) CODEC(ZSTD(1)),
  link_attributes Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  trace_state String CODEC(ZSTD(1)),
  flags UInt32 CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMMDD(start)
ORDER BY (toStartOfFiveMinutes(start), cluster, namespace, workload, service, name, start)
${tableSettings}`,

    `CREATE TABLE IF NOT EXISTS object_versions (
  cluster LowCardinality(String),
  kind LowCardinality(String),
  api_version LowCardinality(String),
  namespace LowCardinality(String),
  name String CODEC(ZSTD(1)),
  uid String CODEC(ZSTD(1)),
  resource_version String CODEC(ZSTD(1)),
  valid_from DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  deleted Bool,
  body String CODEC(ZSTD(3))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(valid_from)
ORDER BY (cluster, kind, namespace, name, uid, valid_from, resource_version, deleted)
${tableSettings}`,
  ],
};
