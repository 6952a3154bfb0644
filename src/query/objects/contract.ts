import type { ObjectVersion, Scope, TimeRange } from '../../model/index.ts';

/** Kubernetes objects as they are and were. A scope that names namespaces sees no objects without one. */
export interface ObjectReader {
  /** Which versions held at `atMs`, without their bodies: at most one per object, ended ones left out. */
  headsAt(query: ObjectsAt, read: ObjectRead): Promise<ObjectHead[]>;
  /** The bodies of versions that `headsAt` named, in no order; ones that were dropped meanwhile are left out. */
  bodiesOf(heads: readonly ObjectHead[], read: ObjectRead): Promise<ObjectVersion[]>;
  /**
   * Every version that began within the range, and before each object's first of them the one that held at `from`,
   * so that every step can be told. Per object in order of time; at most `limit` versions, the newest ones.
   */
  history(query: ObjectHistory, read: ObjectRead): Promise<ObjectVersion[]>;
}

export interface ObjectsAt {
  atMs: number;
  cluster?: string;
  /** Kubernetes kinds, e.g. `Pod`; all but events when left out. */
  kinds?: readonly string[];
}

/** A version without its body. */
export type ObjectHead = Pick<
  ObjectVersion,
  'cluster' | 'uid' | 'kind' | 'namespace' | 'name' | 'resourceVersion' | 'validFromMs'
>;

export interface ObjectHistory {
  range: TimeRange;
  cluster?: string;
  namespace?: string;
  kinds?: readonly string[];
  uids?: readonly string[];
  names?: readonly string[];
  limit?: number;
}

export interface ObjectRead {
  scope: Scope;
  signal?: AbortSignal;
}
