/**
 * Bytes from outside become batches of signals and reach the store: receivers decode, the pipeline redacts, enriches
 * and limits, the spool makes durable. Nothing here queries.
 */

export {
  type Admission,
  createAdmission,
  type DoorService,
  type GrpcDoors,
  httpDoors,
  startGrpcDoors,
} from './doors/index.ts';
export { createIngest, type Ingest } from './ingest.ts';
export {
  type CardinalityReport,
  checkUserPattern,
  configureRedactText,
  defaultCardinalityLimits,
  defaultLogLimits,
  defaultRateLimits,
  type RedactionMatch,
  RULES,
  type RuleState,
  redactText,
} from './pipeline/index.ts';
export * from './receivers/index.ts';
export type { IngestService, IngestServiceSettings } from './service.ts';
export type { SignalSink } from './sink.ts';
export { BackPressureError } from './sink.ts';
export { createSpoolWriter, openSpool, type Spool, type SpoolStats, type SpoolWriter } from './spool/index.ts';
export type { DropState, IngestTelemetry, SourceState } from './telemetry.ts';
export { type IngestThread, startIngestThread } from './thread/index.ts';
