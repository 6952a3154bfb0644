import type { Entity, GpuFact, LabelSet, Relation } from '../../model/index.ts';
import type { EstateEvent } from './event.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** Everything the estate is built from, as it held at one moment. */
export interface EstateInput {
  atMs: number;
  /** Clusters that are there even when nothing was seen of them. */
  clusters: readonly string[];
  objects: readonly KubernetesObject[];
  /** Newest samples of GPU series, one per series. */
  gpus: readonly GpuSample[];
  /** Series of model servers, which tell engine and served names. */
  models: readonly ModelSeries[];
  services: readonly ServiceActivity[];
  edges: readonly ServiceEdge[];
  /** Recent warnings, for the words of probe failures and the like; may be empty. */
  events: readonly EstateEvent[];
  /** What could not be asked, as sentences: told with every cluster, so that nothing is missing in silence. */
  problems: readonly string[];
}

/** The newest sample of one series of a GPU exporter. */
export interface GpuSample {
  cluster: string;
  fact: GpuFact;
  labels: LabelSet;
  /** MiB for memory, the code for `xid`, the bit mask for `clock-events`. */
  value: number;
}

export interface ModelSeries {
  cluster: string;
  namespace: string;
  pod: string;
  /** `vllm`, `sglang` … */
  engine: string;
  /** The served name; empty when the series does not say. */
  model: string;
}

/** What a service's spans say in a window. */
export interface ServiceActivity {
  cluster: string;
  service: string;
  namespace: string;
  workload: string;
  pod: string;
  requestsPerSecond: number;
  errorRatio: number;
  /** Seconds. */
  meanDuration: number;
}

export interface ServiceEdge {
  cluster: string;
  from: string;
  to: { kind: 'service'; cluster: string; name: string } | { kind: 'dependency'; name: string; system: string };
  requestsPerSecond: number;
  errorRatio: number;
  /** Seconds. */
  meanDuration: number;
}

export interface Estate {
  entities: Entity[];
  relations: Relation[];
}
