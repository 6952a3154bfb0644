import { type EntityKind, type EntityRef, formatRef } from '../../model/index.ts';
import type { KubernetesEvent, KubernetesObject } from './kubernetes-object.ts';

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

/** Reads either event API. Undefined for anything but an event. */
export function toEstateEvent(object: KubernetesObject): EstateEvent | undefined {
  if (object.kind !== 'Event') return undefined;
  const { body } = object;
  const about = body.involvedObject ?? body.regarding;
  return {
    // Event times come in five spellings, some of them null, depending on API and age of the component.
    atMs:
      body.series?.lastObservedTime ??
      body.lastTimestamp ??
      body.deprecatedLastTimestamp ??
      body.eventTime ??
      object.createdMs ??
      object.validFromMs,
    entity: aboutRef(object.cluster, about),
    container: /^spec\.(?:initC|c|ephemeralC)ontainers\{(.+)\}$/.exec(about?.fieldPath ?? '')?.[1] ?? '',
    type: body.type,
    reason: body.reason,
    message: body.message || body.note,
    count: body.series?.count ?? body.count ?? body.deprecatedCount ?? 1,
    source: body.reportingComponent || body.reportingController || body.source?.component || '',
  };
}

const KINDS: Readonly<Record<string, EntityKind>> = {
  Pod: 'pod', Node: 'node', Service: 'service', Namespace: 'namespace', Deployment: 'workload', StatefulSet: 'workload',
  DaemonSet: 'workload', Job: 'workload', CronJob: 'workload', ReplicaSet: 'workload', HorizontalPodAutoscaler: 'autoscaler',
  PersistentVolumeClaim: 'volume', Ingress: 'ingress', ResourceQuota: 'quota',
}; // biome-ignore format: a table to read

function aboutRef(cluster: string, about: KubernetesEvent['involvedObject']): EntityRef {
  if (!about) return formatRef('cluster', cluster, '', cluster);
  const kind = KINDS[about.kind] ?? 'workload';
  if (kind === 'node' || kind === 'namespace') return formatRef(kind, cluster, '', about.name);
  // A ReplicaSet's events are told of its Deployment, whose name is what stands before the template hash.
  const name =
    about.kind === 'ReplicaSet' ? about.name.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5,10}$/, '') : about.name;
  return formatRef(kind, cluster, about.namespace, name);
}
