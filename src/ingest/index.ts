/**
 * Bytes from outside become batches of signals and reach the store: receivers decode, the pipeline redacts, enriches
 * and limits, the spool makes durable. Nothing here queries.
 */

export { createIngest, type Ingest } from './ingest.ts';
export { defaultCardinalityLimits, redactText } from './pipeline/index.ts';
export * from './receivers/index.ts';
export type { SignalSink } from './sink.ts';
export { BackPressureError } from './sink.ts';
export { openSpool, type Spool } from './spool/index.ts';
export type { IngestTelemetry } from './telemetry.ts';
