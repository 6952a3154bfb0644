import type { EntityKind, EntityRef } from './reference.ts';

export type HealthStatus = 'ok' | 'degraded' | 'failing' | 'unknown' | 'idle' | 'gone';

export interface Health {
  status: HealthStatus;
  /** Sentences, most important first; empty when all is well. */
  reasons: readonly string[];
}

/** A thing of the estate as it was at one moment. */
export interface Entity {
  ref: EntityRef;
  kind: EntityKind;
  cluster: string;
  namespace: string;
  name: string;
  /** Kubernetes uid or GPU UUID; empty when there is none. */
  uid: string;
  health: Health;
  labels: Readonly<Record<string, string>>;
  /**
   * Facts by name that depend on the kind, e.g. workload: `workloadKind`, `engine`, `model`, `desired`, `ready`;
   * pod: `phase`, `node`, `ip`; gpu: `index`, `node`, `model`, `memoryBytes`; node: `internalIP`, `kubeletVersion`.
   */
  facts: Readonly<Record<string, FactValue>>;
  /** When it came into being, in ms since the epoch, where known. */
  createdMs?: number;
}

export type FactValue = string | number | boolean | readonly string[];

/** How sure a relation is. */
export type Confidence = 'exact' | 'shared' | 'inferred' | 'unknown';

/**
 * `contains` follows ownership and grouping (cluster → node → gpu, namespace → workload → pod → container);
 * `runs-on` pod → node; `uses` pod → gpu; `calls` service or workload → service, workload or dependency;
 * `serves` workload → service (the service name its spans carry); `selects` service (Kubernetes) → pod.
 */
export type RelationKind = 'contains' | 'runs-on' | 'uses' | 'calls' | 'serves' | 'selects';

export interface Relation {
  kind: RelationKind;
  from: EntityRef;
  to: EntityRef;
  confidence: Confidence;
  /** For shared GPUs: how many share it. */
  share?: number;
}
