import type { ResourceName } from './object-store.ts';
import type { AnyObject } from './object-types.ts';
import { fieldsMatch, labelsMatch } from './selectors.ts';

/** A request for objects: which resource, where, and how the answer is narrowed. */
export interface ObjectRequest {
  resource: ResourceName;
  /** Empty for all namespaces. */
  namespace: string;
  query: URLSearchParams;
}

/** Whether the object is in the request's namespace and fits its selectors. */
export function fits(target: ObjectRequest, object: AnyObject): boolean {
  const { namespace } = object.metadata;
  if (target.namespace !== '' && namespace !== target.namespace) return false;
  return (
    labelsMatch(target.query.get('labelSelector') ?? '', object.metadata.labels ?? {}) &&
    fieldsMatch(target.query.get('fieldSelector') ?? '', object)
  );
}

/** A failure in Kubernetes' own form. */
export function statusObject(code: number, reason: string, message: string) {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
