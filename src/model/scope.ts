/**
 * What a request may see. Every function that reads signals, objects or the estate takes one; there is no unscoped read.
 * The query layer turns it into matchers on every selector and the estate filters by it.
 */
export type Scope = { kind: 'everything' } | { kind: 'limited'; clusters: readonly ScopedCluster[] };

export interface ScopedCluster {
  name: string;
  /** `undefined` means every namespace of the cluster, its nodes and GPUs included. */
  namespaces?: readonly string[];
}

export const everything: Scope = { kind: 'everything' };

/** Whether something in this cluster and namespace may be seen; things without a namespace need the whole cluster. */
export function scopeAllows(scope: Scope, cluster: string, namespace: string | undefined): boolean {
  if (scope.kind === 'everything') return true;
  return scope.clusters.some(
    (allowed) =>
      allowed.name === cluster &&
      (allowed.namespaces === undefined || (namespace !== undefined && allowed.namespaces.includes(namespace))),
  );
}
