import { type Migration, tableSettings } from './migration.ts';

/** A trace's time by its id, so that opening one reads a few minutes of spans instead of every day. */
export const traceTimes: Migration = {
  version: 2,
  name: 'trace times',
  statements: [
    `CREATE TABLE IF NOT EXISTS trace_times (
  trace_id FixedString(16) CODEC(ZSTD(1)),
  first SimpleAggregateFunction(min, DateTime64(9, 'UTC')) CODEC(Delta(8), ZSTD(1)),
  last SimpleAggregateFunction(max, DateTime64(9, 'UTC')) CODEC(Delta(8), ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(last)
ORDER BY trace_id
${tableSettings}`,

    `INSERT INTO trace_times
SELECT trace_id, min(start) AS first, max(start) AS last FROM spans GROUP BY trace_id, toYYYYMMDD(start)`,

    `CREATE MATERIALIZED VIEW IF NOT EXISTS trace_times_from_spans TO trace_times AS
SELECT trace_id, min(start) AS first, max(start) AS last FROM spans GROUP BY trace_id, toYYYYMMDD(start)`,
  ],
};
