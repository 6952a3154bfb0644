import { createSnapshot, type Entity, type EntityKind, type EntityRef, everything, formatRef, type Relation } from '../../../model/index.ts';

/**
 * A model service of three replicas with two GPUs each on two nodes of four GPUs, called by a RAG service that a gateway
 * calls and that asks a vector database.
 */
export const LLAMA = formatRef('workload', 'prod-eu', 'inference', 'llama');
export const RAG = formatRef('workload', 'prod-eu', 'inference', 'rag');
export const GATEWAY = formatRef('workload', 'prod-eu', 'inference', 'gateway');
export const QDRANT = formatRef('workload', 'prod-eu', 'data', 'qdrant');
export const pod = (i: number) => formatRef('pod', 'prod-eu', 'inference', `llama-${i}`);
export const gpu = (i: number) => formatRef('gpu', 'prod-eu', '', `GPU-${i}`);
export const node = (i: number) => formatRef('node', 'prod-eu', '', `gpu-${i}`);
export const service = (name: string) => formatRef('service', 'prod-eu', '', name);

/** Node of each replica: 0 and 1 on gpu-1, 2 on gpu-2. */
export const NODE_OF_POD = [1, 1, 2];

export interface EstateChanges {
  entity?: (entity: Entity) => Entity;
}

export function smallEstate(atMs: number, changes: EstateChanges = {}) {
  const entities: Entity[] = [
    entity('cluster', '', 'prod-eu'),
    ...[1, 2].map((i) => entity('node', '', `gpu-${i}`)),
    ...Array.from({ length: 8 }, (_, i) => entity('gpu', '', `GPU-${i}`, { index: String(i % 4), node: `gpu-${i < 4 ? 1 : 2}` })),
    entity('workload', 'inference', 'llama', { workloadKind: 'StatefulSet', engine: 'vllm', desired: 3, ready: 3 }),
    ...NODE_OF_POD.map((n, i) => entity('pod', 'inference', `llama-${i}`, { node: `gpu-${n}`, phase: 'Running' })),
    ...['gateway', 'rag'].map((name) => entity('workload', 'inference', name, { workloadKind: 'Deployment', desired: 1, ready: 1 })),
    entity('workload', 'data', 'qdrant', { workloadKind: 'StatefulSet', desired: 1, ready: 1 }),
    ...['llama', 'rag', 'gateway', 'qdrant'].map((name) => entity('service', '', name)),
  ];
  const relations: Relation[] = [
    ...Array.from({ length: 8 }, (_, i) => relation('contains', node(i < 4 ? 1 : 2), gpu(i))),
    ...NODE_OF_POD.flatMap((n, i) => [
      relation('contains', LLAMA, pod(i)),
      relation('runs-on', pod(i), node(n)),
      relation('uses', pod(i), gpu(2 * i)),
      relation('uses', pod(i), gpu(2 * i + 1)),
    ]),
    relation('serves', LLAMA, service('llama')),
    relation('serves', RAG, service('rag')),
    relation('serves', GATEWAY, service('gateway')),
    relation('serves', QDRANT, service('qdrant')),
    relation('calls', service('gateway'), service('rag')),
    relation('calls', service('rag'), service('llama')),
    relation('calls', service('rag'), service('qdrant')),
  ];
  return createSnapshot(atMs, entities.map(changes.entity ?? ((e) => e)), relations, everything);
}

function entity(kind: EntityKind, namespace: string, name: string, facts: Entity['facts'] = {}): Entity {
  const ref = formatRef(kind, 'prod-eu', namespace, name);
  return { ref, kind, cluster: 'prod-eu', namespace, name, uid: ref, health: { status: 'ok', reasons: [] }, labels: {}, facts };
}

function relation(kind: Relation['kind'], from: EntityRef, to: EntityRef): Relation {
  return { kind, from, to, confidence: 'exact' };
}

