/**
 * Canonical signals: one concept under one name and unit, whatever emits it, and per source system how to obtain it.
 * The only place that knows metric names. Pure: yields queries, runs none.
 */
import { cadvisor } from './cadvisor.ts';
import { dcgm } from './dcgm.ts';
import { kubeStateMetrics } from './kube-state-metrics.ts';
import { nodeExporter } from './node-exporter.ts';
import { OPENTELEMETRY, opentelemetry, spanMeasureOf } from './opentelemetry.ts';
import { planSignal as planFrom, type SignalPlan, type SignalRequest } from './plan.ts';
import { prometheus } from './prometheus.ts';
import { qdrant } from './qdrant.ts';
import type { SourceSystem } from './source.ts';
import { vllm } from './vllm.ts';

export { type GpuFact, gpuInventory, type Inventory, modelServerInventory } from './inventory.ts';
export { membersOf } from './members.ts';
export type { PlannedQuery, PromqlPlan, SignalPlan, SignalRequest, SpanPlan } from './plan.ts';
export type { CanonicalSignal, MissingSignal, Stat } from './signal.ts';
export { findSignal, SIGNALS } from './signals.ts';

/** Every system of the catalogue; a new one is a file and a line here. */
const SYSTEMS: readonly SourceSystem[] = [
  vllm,
  dcgm,
  kubeStateMetrics,
  cadvisor,
  nodeExporter,
  prometheus,
  opentelemetry,
  qdrant,
];

/** How to get a canonical signal of entities, from every system that gives it. */
export function planSignal(request: SignalRequest): SignalPlan {
  return planFrom(request, SYSTEMS);
}

/** Names of the systems that give a signal; empty when none of the catalogue does yet. */
export function systemsFor(signal: string): string[] {
  if (spanMeasureOf(signal)) return [OPENTELEMETRY];
  return SYSTEMS.filter((system) => system.tables.some((table) => signal in table.signals)).map(
    (system) => system.name,
  );
}
