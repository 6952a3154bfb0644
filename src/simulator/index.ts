/**
 * A simulated estate of clusters with GPUs and model servers. `main.ts` runs it as a program that reaches Trifocal only
 * through the doors that users come through; this door is for tests and benchmarks that run one in their own process.
 * Imports no server code.
 */

export { type ClusterPlan, defaultEstate } from './blueprint.ts';
export { createEstate, type Estate } from './estate.ts';
export type { FaultId, FaultOrder, GroundTruth } from './faults.ts';
export { renderPage } from './pages/page.ts';
export type { ScrapeTarget } from './pages/targets.ts';
export type { LogLine, Source, SpanRecord } from './telemetry/signals.ts';
