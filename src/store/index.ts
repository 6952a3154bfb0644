/**
 * Keeps signals (ClickHouse, embedded or remote) and records (PostgreSQL, embedded as PGlite). The only folder that
 * knows either client. It does not decide what is worth keeping, nor what a query means.
 */

export type { TelemetryRestore } from './backup/attach.ts';
export type { FrozenTelemetry } from './backup/freeze.ts';
export { newestTelemetrySchema, openFreshEngine } from './backup/fresh.ts';
export {
  type DuplicateValues,
  insertLateSamples,
  type NewestSamples,
  newestSamples,
} from './clickhouse/late-samples.ts';
export type {
  CallOptions,
  ClickHousePort,
  Column,
  ColumnBlock,
  ColumnValue,
  ParamValue,
  QueryLimits,
  Statement,
  StoreErrorKind,
} from './clickhouse/port.ts';
export { StoreError } from './clickhouse/port.ts';
export type { Retention } from './clickhouse/retention.ts';
export { selectRows } from './clickhouse/rows.ts';
export type { TableName } from './clickhouse/schema/tables.ts';
export type { PartStats, TableStats } from './clickhouse/sizes.ts';
export { type BatchEncoder, createBatchEncoder, type EncodedBatch, type EncodedBlock } from './encoding/encoder.ts';
export { seriesId } from './encoding/series.ts';
export type { DumpLine } from './records/dump.ts';
export type { InvestigationRecord, InvestigationStore } from './records/investigations.ts';
export { newestRecordSchema, openRecords, type Records } from './records/open.ts';
export { type EngineOptions, openStore, type Store, type StoreBackup, type StoreOptions } from './store.ts';
