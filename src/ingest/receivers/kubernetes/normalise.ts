import { type ApiObject, isRecord, records } from './api-object.ts';
import type { Resource } from './resources.ts';

/**
 * The object without what changes although nothing happened: heartbeats, bookkeeping of the API server and of tools.
 * Two versions with the same result are the same version.
 */
export function normalise(object: ApiObject, resource: Resource): Record<string, unknown> {
  const { metadata, apiVersion: _, kind: __, status, ...rest } = object;
  return {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: normaliseMetadata(metadata),
    ...rest,
    ...(status === undefined ? {} : { status: isRecord(status) ? normaliseStatus(status) : status }),
  };
}

/** Who changed the object after `sinceMs`, by its managed fields; controllers that only report status do not count. */
export function changedBy(object: ApiObject, sinceMs: number): string | undefined {
  const entries = records(object.metadata.managedFields)
    .filter((entry) => entry.subresource !== 'status' && typeof entry.manager === 'string')
    .map((entry) => ({ manager: String(entry.manager), ms: Date.parse(String(entry.time)) }))
    // Times are whole seconds, rounded down.
    .filter((entry) => entry.ms + 1000 > sinceMs)
    .sort((a, b) => b.ms - a.ms);
  return entries[0]?.manager;
}

const METADATA_BOOKKEEPING = new Set(['managedFields', 'resourceVersion', 'selfLink']);
const ANNOTATION_BOOKKEEPING = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'control-plane.alpha.kubernetes.io/leader',
]);

function normaliseMetadata(metadata: ApiObject['metadata']): Record<string, unknown> {
  const kept = Object.entries(metadata).filter(([key, value]) => !METADATA_BOOKKEEPING.has(key) && value !== '');
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'annotations' ? withoutKeys(value, ANNOTATION_BOOKKEEPING) : value]),
  );
}

/** Images and volumes of a node are long lists that no question needs. */
const STATUS_BOOKKEEPING = new Set(['images', 'volumesInUse', 'volumesAttached']);
const CONDITION_HEARTBEATS = new Set(['lastHeartbeatTime', 'lastProbeTime', 'lastUpdateTime']);

function normaliseStatus(status: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(status).filter(([key]) => !STATUS_BOOKKEEPING.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'conditions' && Array.isArray(value)
        ? value.map((condition) => withoutKeys(condition, CONDITION_HEARTBEATS))
        : value,
    ]),
  );
}

function withoutKeys(value: unknown, keys: ReadonlySet<string>): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key))) : value;
}
