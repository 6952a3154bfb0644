import type { EntityRef } from '../../model/index.ts';

/** A Kubernetes event about an entity. */
export interface EstateEvent {
  /** When it was last seen. */
  atMs: number;
  entity: EntityRef;
  /** The container that it names; empty when it is about the whole. */
  container: string;
  /** `Normal` or `Warning`. */
  type: string;
  reason: string;
  message: string;
  count: number;
  /** The component that wrote it. */
  source: string;
}
