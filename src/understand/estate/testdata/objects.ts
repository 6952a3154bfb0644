import type { ObjectVersion } from '../../../model/index.ts';
import { type EstateInput, type KubernetesObject, parseObject } from '../index.ts';

/** Noon of the tests. */
export const NOW = Date.parse('2026-12-01T12:00:00Z');

export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

type Json = Record<string, unknown>;

export interface ObjectParts {
  cluster?: string;
  namespace?: string;
  uid?: string;
  owner?: { kind: string; name: string; uid?: string };
  labels?: Record<string, string>;
  metadata?: Json;
  spec?: Json;
  status?: Json;
  body?: Json;
  validFromMs?: number;
}

const API: Record<string, string> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
};

/** A stored version of an object, as the watch would have written it. */
export function version(kind: string, name: string, parts: ObjectParts = {}): ObjectVersion {
  const { cluster = 'eu', namespace = kind === 'Node' || kind === 'Namespace' ? '' : 'inference', owner } = parts;
  const uid = parts.uid ?? `uid-${kind}-${cluster}-${namespace}-${name}`;
  const body = {
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid,
      creationTimestamp: ago(86_400),
      ...(parts.labels ? { labels: parts.labels } : {}),
      ...(owner
        ? { ownerReferences: [{ kind: owner.kind, name: owner.name, uid: owner.uid ?? `uid-${owner.kind}-${cluster}-${namespace}-${owner.name}`, controller: true }] }
        : {}),
      ...parts.metadata,
    },
    ...(parts.spec ? { spec: parts.spec } : {}),
    ...(parts.status ? { status: parts.status } : {}),
    ...parts.body,
  };
  return {
    cluster,
    uid,
    apiVersion: API[kind] ?? 'v1',
    kind,
    namespace,
    name,
    resourceVersion: '1',
    validFromMs: parts.validFromMs ?? NOW - 86_400_000,
    deleted: false,
    body: JSON.stringify(body),
  };
}

export function object(kind: string, name: string, parts: ObjectParts = {}): KubernetesObject {
  return parseObject(version(kind, name, parts));
}

export interface PodParts extends ObjectParts {
  node?: string;
  phase?: string;
  ready?: boolean;
  readySince?: string;
  gpus?: number;
  image?: string;
  container?: Json;
  containerSpec?: Json;
  conditions?: Json[];
  podStatus?: Json;
}

/** A running, ready pod with one container `main`, unless told otherwise. */
export function podParts(parts: PodParts = {}): ObjectParts {
  const { node = 'gpu-1', phase = 'Running', ready = true, gpus = 0, image = 'app:1' } = parts;
  return {
    ...parts,
    spec: {
      ...(node === '' ? {} : { nodeName: node }),
      containers: [
        { name: 'main', image, ...(gpus > 0 ? { resources: { limits: { 'nvidia.com/gpu': String(gpus) } } } : {}), ...parts.containerSpec },
      ],
      ...parts.spec,
    },
    status: {
      phase,
      podIP: '10.1.0.9',
      conditions: parts.conditions ?? [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(7200) },
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: parts.readySince ?? ago(3600) },
      ],
      containerStatuses: [
        { name: 'main', ready, started: true, restartCount: 0, image, state: { running: { startedAt: ago(3600) } }, ...parts.container },
      ],
      ...parts.podStatus,
    },
  };
}

export function pod(name: string, parts: PodParts = {}): KubernetesObject {
  return object('Pod', name, podParts(parts));
}

export function node(name: string, parts: ObjectParts & { conditions?: Json[] } = {}): KubernetesObject {
  return object('Node', name, {
    ...parts,
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(90_000) }, ...(parts.conditions ?? [])],
      capacity: { cpu: '96', memory: '1Ti', 'nvidia.com/gpu': '4' },
      allocatable: { cpu: '95500m', memory: '1000Gi', pods: '110', 'nvidia.com/gpu': '4' },
      addresses: [
        { type: 'InternalIP', address: `10.0.0.${name.at(-1)}` },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: { kubeletVersion: 'v1.34.1' },
      ...parts.status,
    },
  });
}

export function deployment(name: string, replicas: number, status: Json = {}, parts: ObjectParts = {}): KubernetesObject {
  return object('Deployment', name, {
    ...parts,
    metadata: { generation: 3, ...parts.metadata },
    spec: { replicas, ...parts.spec },
    status: { observedGeneration: 3, replicas, readyReplicas: replicas, updatedReplicas: replicas, ...status },
  });
}

export function input(objects: readonly KubernetesObject[], more: Partial<EstateInput> = {}): EstateInput {
  return { atMs: NOW, clusters: [], objects, gpus: [], models: [], services: [], edges: [], events: [], problems: [], ...more };
}
