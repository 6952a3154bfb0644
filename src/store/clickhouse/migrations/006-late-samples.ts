import type { Migration } from './migration.ts';

/**
 * Where samples that may be stored already stand until they are compared with `samples`. What is in it can be lost: the spool
 * still has it. It recognises no repeated insert, since it is emptied in between.
 */
export const lateSamples: Migration = {
  version: 6,
  name: 'late samples',
  statements: [
    `CREATE TABLE IF NOT EXISTS samples_late (
  metric_id UInt32,
  series_id UInt64,
  ts DateTime64(3, 'UTC'),
  value Float64
) ENGINE = MergeTree
ORDER BY tuple()
SETTINGS non_replicated_deduplication_window = 0`,
  ],
};
