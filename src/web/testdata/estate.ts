/** The demo estate as the API would tell it: two clusters, two model services each, one GPU of prod-eu too hot. */
import type { z } from 'zod';
import type { change, entitySummary, event, relation } from '../../api/contract/index.ts';
import { formatRef } from '../../model/index.ts';

export type EntityOut = z.infer<typeof entitySummary>;
export type RelationOut = z.infer<typeof relation>;

export interface MockEstate {
  entities: EntityOut[];
  relations: RelationOut[];
  changes: z.infer<typeof change>[];
  events: z.infer<typeof event>[];
  faultMs: number;
  startedMs: number;
}

interface WorkloadPlan {
  namespace: string;
  name: string;
  kind: string;
  replicas: number;
  gpus: number;
  nodes: string[];
  facts: EntityOut['facts'];
  image: string;
}

const WORKLOADS: WorkloadPlan[] = [
  plan('inference', 'llama-3-70b', 'StatefulSet', 3, 2, ['gpu-1', 'gpu-1', 'gpu-2'], 'vllm/vllm-openai:v0.11.0', {
    engine: 'vllm',
    model: ['llama-3-70b'],
    engineVersion: '0.11.0',
  }),
  plan('inference', 'qwen-14b', 'Deployment', 2, 1, ['gpu-2', 'gpu-2'], 'vllm/vllm-openai:v0.11.0', {
    engine: 'vllm',
    model: ['qwen-14b'],
    engineVersion: '0.11.0',
  }),
  plan('inference', 'gateway', 'Deployment', 2, 0, ['cpu-1', 'cpu-2'], 'registry.local/gateway:2.4.1'),
  plan('inference', 'rag-api', 'Deployment', 2, 0, ['cpu-1', 'cpu-2'], 'registry.local/rag-api:41'),
  plan('inference', 'embedding', 'Deployment', 1, 0, ['cpu-1'], 'registry.local/embedding:1.9'),
  plan('data', 'qdrant', 'StatefulSet', 1, 0, ['cpu-2'], 'qdrant/qdrant:v1.15.0'),
  plan('monitoring', 'dcgm-exporter', 'DaemonSet', 2, 0, ['gpu-1', 'gpu-2'], 'nvidia/dcgm-exporter:4.2.0'),
  plan('monitoring', 'node-exporter', 'DaemonSet', 4, 0, ['gpu-1', 'gpu-2', 'cpu-1', 'cpu-2'], 'prom/node-exporter:v1.9.0'),
  plan('monitoring', 'kube-state-metrics', 'Deployment', 1, 0, ['cpu-1'], 'kube-state-metrics:v2.15.0'),
];

const HOT = { cluster: 'prod-eu', uuid: 'GPU-5f2c81aa-90d1-4c7e-8c11-b1f7d2a90e34' };
export const HOT_GPU = formatRef('gpu', HOT.cluster, '', HOT.uuid);
export const SLOW_POD = formatRef('pod', 'prod-eu', 'inference', 'llama-3-70b-0');
export const SLOW_MODEL = formatRef('workload', 'prod-eu', 'inference', 'llama-3-70b');

export function buildEstate(nowMs: number): MockEstate {
  const startedMs = nowMs - 26 * 3_600_000;
  const faultMs = nowMs - 26 * 60_000;
  const entities: EntityOut[] = [];
  const relations: RelationOut[] = [];
  const relate = (kind: RelationOut['kind'], from: string, to: string) => relations.push({ kind, from, to, confidence: 'exact' });
  const add = (kind: EntityOut['kind'], cluster: string, namespace: string, name: string, more: Partial<EntityOut> = {}) => {
    const ref = formatRef(kind, cluster, namespace, name);
    entities.push({
      ref,
      uid: `${cluster}-${kind}-${namespace}-${name}`,
      kind,
      cluster,
      namespace,
      name,
      health: { status: 'ok', reasons: [] },
      labels: {},
      facts: {},
      parents: [],
      children: [],
      createdAt: new Date(startedMs).toISOString(),
      ...more,
    });
    return ref;
  };

  for (const cluster of ['prod-eu', 'prod-us']) {
    const clusterRef = add('cluster', cluster, '', cluster, { facts: { nodes: 4, gpus: 8 } });
    const gpusOf = new Map<string, string[]>();
    for (const node of ['gpu-1', 'gpu-2', 'cpu-1', 'cpu-2']) {
      const isGpu = node.startsWith('gpu');
      const nodeRef = add('node', cluster, '', node, {
        facts: {
          kubeletVersion: 'v1.34.1',
          internalIP: `10.${cluster === 'prod-eu' ? 4 : 8}.0.${node.endsWith('1') ? 11 : 12}`,
          cpuCores: isGpu ? 96 : 32,
          memoryBytes: (isGpu ? 1024 : 128) * 2 ** 30,
          unschedulable: cluster === 'prod-us' && node === 'cpu-2',
          pods: 6,
          ...(isGpu ? { gpus: 4, gpuModel: 'NVIDIA H100 80GB HBM3' } : {}),
        },
        labels: { 'topology.kubernetes.io/zone': node.endsWith('1') ? 'a' : 'b' },
      });
      relate('contains', clusterRef, nodeRef);
      if (!isGpu) continue;
      const gpus = [0, 1, 2, 3].map((index) => {
        const isHot = cluster === HOT.cluster && node === 'gpu-1' && index === 0;
        const uuid = isHot ? HOT.uuid : uuidOf(`${cluster}/${node}/${index}`);
        const ref = add('gpu', cluster, '', uuid, {
          uid: uuid,
          facts: { index: String(index), node, model: 'NVIDIA H100 80GB HBM3', memoryBytes: 80 * 2 ** 30, allocations: [] },
          ...(isHot ? { health: { status: 'degraded', reasons: ['Clocks are held down for temperature (91 °C)'] } } : {}),
        });
        relate('contains', nodeRef, ref);
        return ref;
      });
      gpusOf.set(node, gpus);
    }
    for (const namespace of ['inference', 'data', 'monitoring']) relate('contains', clusterRef, add('namespace', cluster, namespace, namespace));
    for (const workload of WORKLOADS) {
      const slow = cluster === HOT.cluster && workload.name === 'llama-3-70b';
      const workloadRef = add('workload', cluster, workload.namespace, workload.name, {
        facts: {
          workloadKind: workload.kind,
          desired: workload.replicas,
          ready: workload.replicas,
          ...(workload.gpus > 0 ? { gpus: workload.gpus * workload.replicas } : {}),
          ...workload.facts,
        },
        labels: { 'app.kubernetes.io/name': workload.name },
      });
      relate('contains', formatRef('namespace', cluster, workload.namespace, workload.namespace), workloadRef);
      for (let i = 0; i < workload.replicas; i++) {
        const node = workload.nodes[i] ?? 'cpu-1';
        const podName = workload.kind === 'StatefulSet' ? `${workload.name}-${i}` : `${workload.name}-${hashName(workload.name, i)}`;
        const podRef = add('pod', cluster, workload.namespace, podName, {
          facts: { phase: 'Running', workload: workloadRef, node, ip: `10.244.${i}.${10 + i}`, restarts: 0, image: workload.image, ready: true },
          ...(slow && i === 0 ? { health: { status: 'ok', reasons: [] } } : {}),
        });
        relate('contains', workloadRef, podRef);
        relate('runs-on', podRef, formatRef('node', cluster, '', node));
        for (let g = 0; g < workload.gpus; g++) {
          const gpu = gpusOf.get(node)?.shift();
          if (gpu === undefined) continue;
          relate('uses', podRef, gpu);
          const entity = entities.find((e) => e.ref === gpu);
          if (entity) entity.facts.allocations = [formatRef('container', cluster, workload.namespace, `${podName}/vllm`)];
        }
      }
    }
    const service = (name: string) => add('service', cluster, '', name);
    const [gateway, rag, llama, qwen, embedding, qdrant] = ['gateway', 'rag-api', 'llama-3-70b', 'qwen-14b', 'embedding', 'qdrant'].map(service);
    for (const [from, to] of [[gateway, rag], [gateway, llama], [gateway, qwen], [rag, embedding], [rag, qdrant], [rag, llama]])
      if (from && to) relate('calls', from, to);
    for (const workload of WORKLOADS.filter((w) => w.namespace !== 'monitoring'))
      relate('serves', formatRef('workload', cluster, workload.namespace, workload.name), formatRef('service', cluster, '', workload.name));
  }
  const byRef = new Map(entities.map((e) => [e.ref, e]));
  for (const { kind, from, to } of relations) {
    if (kind !== 'contains') continue;
    byRef.get(from)?.children.push(to);
    byRef.get(to)?.parents.push(from);
  }

  const at = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString();
  const rag = formatRef('workload', 'prod-eu', 'inference', 'rag-api');
  return {
    entities,
    relations,
    startedMs,
    faultMs,
    changes: [
      { id: 'chg_4', at: at(9), entity: SLOW_MODEL, kind: 'autoscaler', before: '3', after: '3', summary: 'HPA wants 4 replicas, 0 GPUs free', group: 'g4' },
      { id: 'chg_3', at: at(38), entity: formatRef('node', 'prod-us', '', 'cpu-2'), kind: 'cordon', actor: 'ops@example.com', before: 'schedulable', after: 'cordoned', summary: 'Cordoned', group: 'g3' },
      { id: 'chg_2', at: at(52), entity: rag, kind: 'image', actor: 'argocd', before: 'registry.local/rag-api:40', after: 'registry.local/rag-api:41', summary: 'image rag-api:40 → rag-api:41', group: 'g2' },
      { id: 'chg_1', at: at(175), entity: formatRef('workload', 'prod-eu', 'inference', 'gateway'), kind: 'scale', actor: 'ops@example.com', before: '1', after: '2', summary: 'replicas 1 → 2', group: 'g1' },
    ],
    events: [
      { at: at(52), entity: rag, type: 'Normal', reason: 'ScalingReplicaSet', message: 'Scaled up replica set rag-api-6d9 to 2', count: 1, source: 'deployment-controller' },
      { at: at(21), entity: SLOW_POD, type: 'Warning', reason: 'Unhealthy', message: 'Readiness probe failed: Get "http://10.244.0.10:8000/health": context deadline exceeded', count: 2, source: 'kubelet' },
    ],
  };
}

function plan(
  namespace: string, name: string, kind: string, replicas: number, gpus: number, nodes: string[], image: string,
  facts: EntityOut['facts'] = {},
): WorkloadPlan {
  return { namespace, name, kind, replicas, gpus, nodes, facts, image };
}

function hashName(name: string, index: number): string {
  return `${uuidOf(name).slice(4, 12)}b-${uuidOf(`${name}${index}`).slice(4, 9)}`;
}

function uuidOf(text: string): string {
  let hash = 2166136261;
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619) >>> 0;
  let hex = '';
  while (hex.length < 32) {
    hash = (Math.imul(hash, 1664525) + 1013904223) >>> 0;
    hex += (hash >>> 8).toString(16).padStart(6, '0');
  }
  return `GPU-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
