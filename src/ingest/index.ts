/**
 * Bytes from outside become batches of signals and reach the store: receivers decode, the pipeline redacts, enriches
 * and limits, the spool makes durable. Nothing here queries.
 */

export { createIngest, type Ingest, type IngestOptions, type SpoolWriter } from './ingest.ts';
export {
  type AcceptedTimes,
  type CardinalityLimits,
  defaultAcceptedTimes,
  defaultCardinalityLimits,
  type RedactionOptions,
  redactText,
} from './pipeline/index.ts';
export * from './receivers/index.ts';
export {
  type AcceptResult,
  BackPressureError,
  type BatchOrigin,
  type DropReason,
  type Rejection,
  type SignalSink,
} from './sink.ts';
export { openSpool, type Spool, type SpoolStats } from './spool/index.ts';
export type { DropState, IngestTelemetry, SourceState } from './telemetry.ts';
