import type { EntityRef } from './reference.ts';

export type ChangeKind =
  | 'created' | 'deleted' | 'rollout' | 'scale' | 'image' | 'template' | 'configuration' | 'limits' | 'probe' | 'selector'
  | 'labels' | 'cordon' | 'uncordon' | 'taint' | 'allocatable' | 'quota' | 'autoscaler' | 'rescheduled'; // biome-ignore format: a list to read

/** Something that altered the estate at a time. */
export interface Change {
  id: string;
  atMs: number;
  entity: EntityRef;
  kind: ChangeKind;
  /** Who did it, where the source tells. */
  actor?: string;
  before: string;
  after: string;
  /** A sentence: `image vllm:0.10 → vllm:0.11`. */
  summary: string;
  /** Changes of one act (a rollout's template, ReplicaSet and pods) share a group. */
  group: string;
}
