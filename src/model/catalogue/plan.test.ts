import { describe, expect, test } from 'vitest';
import { createSnapshot, type Entity, type EntityKind, everything, formatRef, type Relation } from '../index.ts';
import { planSignal, SIGNALS, type Stat, systemsFor } from './index.ts';

const entity = (kind: EntityKind, namespace: string, name: string, facts: Entity['facts'] = {}): Entity => {
  const ref = formatRef(kind, 'eu', namespace, name);
  return {
    ref,
    kind,
    cluster: 'eu',
    namespace,
    name,
    uid: ref,
    health: { status: 'ok', reasons: [] },
    labels: {},
    facts,
  };
};
const llama = entity('workload', 'ml', 'llama', { workloadKind: 'StatefulSet', engine: 'vllm' });
const chat = entity('workload', 'ml', 'chat', { workloadKind: 'Deployment' });
const pods = ['llama-0', 'llama-1'].map((name, i) => entity('pod', 'ml', name, { ip: `10.0.0.${i + 1}` }));
const chatPod = entity('pod', 'ml', 'chat-7d9f8b6c5-x2v4z', { ip: '10.0.0.9' });
const node = entity('node', '', 'gpu-1', { internalIP: '192.168.0.7' });
const gpus = ['GPU-a', 'GPU-b'].map((name) => entity('gpu', '', name));
const service = entity('service', '', 'chat');
const relation = (kind: Relation['kind'], from: Entity, to: Entity): Relation => ({
  kind,
  from: from.ref,
  to: to.ref,
  confidence: 'exact',
});
const estate = createSnapshot(
  0,
  [llama, chat, ...pods, chatPod, node, ...gpus, service],
  [
    ...pods.flatMap((pod, i) => [
      relation('contains', llama, pod),
      relation('runs-on', pod, node),
      ...(gpus[i] ? [relation('uses', pod, gpus[i])] : []),
    ]),
    ...gpus.map((gpu) => relation('contains', node, gpu)),
    relation('contains', chat, chatPod),
    relation('serves', chat, service),
  ],
  everything,
);

/** The queries of a plan: per query the first spelling, with the labels that its entities are read from. */
function plan(signal: string, of: Entity, options: { by?: EntityKind; stat?: Stat } = {}) {
  return planSignal({ signal, of: [of], ...options, estate, windowSeconds: 120 });
}
const first = (signal: string, of: Entity, options: { by?: EntityKind; stat?: Stat } = {}) => {
  const query = plan(signal, of, options).queries[0];
  return query?.kind === 'promql' ? query.spellings[0]?.promql : undefined;
};
const LLAMA = 'cluster="eu",namespace="ml",pod=~"llama-[0-9]+"';

describe('a signal becomes PromQL', () => {
  test.each<[string, Entity, { by?: EntityKind; stat?: Stat }, string]>([
    ['inference.ttft', llama, {}, `histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{${LLAMA}}[120s])))`],
    [
      'inference.itl', llama, { by: 'pod', stat: 'p50' },
      `histogram_quantile(0.5, sum by (le, namespace, pod) (sum by (le, namespace, pod) (rate(vllm:inter_token_latency_seconds_bucket{${LLAMA}}[120s])) or sum by (le, namespace, pod) (rate(vllm:time_per_output_token_seconds_bucket{${LLAMA}}[120s]))))`,
    ],
    [
      'inference.ttft', llama, { stat: 'mean' },
      `sum (rate(vllm:time_to_first_token_seconds_sum{${LLAMA}}[120s])) / sum (rate(vllm:time_to_first_token_seconds_count{${LLAMA}}[120s]))`,
    ],
    ['inference.requests', llama, {}, `sum (rate(vllm:request_success_total{${LLAMA}}[120s]))`],
    ['inference.waiting', llama, { by: 'pod' }, `sum by (namespace, pod) (vllm:num_requests_waiting{${LLAMA}})`],
    [
      'inference.kv_usage', llama, {},
      `avg (avg by (namespace, pod) (vllm:kv_cache_usage_perc{${LLAMA}}) or avg by (namespace, pod) (vllm:gpu_cache_usage_perc{${LLAMA}}))`,
    ],
    [
      'container.cpu.throttled_ratio', llama, {},
      `sum (rate(container_cpu_cfs_throttled_periods_total{${LLAMA},container!="",container!="POD"}[120s])) / sum (rate(container_cpu_cfs_periods_total{${LLAMA},container!="",container!="POD"}[120s]))`,
    ],
    ['gpu.sm_clock', node, { by: 'gpu' }, 'avg by (UUID) (max by (UUID) (DCGM_FI_DEV_SM_CLOCK{cluster="eu",UUID=~"GPU-a|GPU-b"}))'],
    ['gpu.power', llama, {}, 'sum (max by (UUID) (DCGM_FI_DEV_POWER_USAGE{cluster="eu",UUID=~"GPU-a|GPU-b"}))'],
    ['node.memory.available', node, { by: 'node' }, 'sum by (node) (node_memory_MemAvailable_bytes{cluster="eu",node="gpu-1"}) / sum by (node) (node_memory_MemTotal_bytes{cluster="eu",node="gpu-1"})'],
    ['workload.ready', llama, {}, 'sum (kube_statefulset_status_replicas_ready{cluster="eu",namespace="ml",statefulset="llama"})'],
    ['workload.ready', chat, {}, 'sum (kube_deployment_status_replicas_ready{cluster="eu",namespace="ml",deployment="chat"})'],
  ])('%s', (signal, of, options, expected) => {
    expect(first(signal, of, options)).toBe(expected);
  }); // biome-ignore format: a table to read
});

describe('labels lead back to entities', () => {
  const refs = (signal: string, of: Entity, by: EntityKind, labels: Record<string, string>[]) => {
    const query = plan(signal, of, { by }).queries[0];
    if (query?.kind !== 'promql') throw new Error('no PromQL');
    return query.spellings.map((spelling, i) => spelling.entityOf(labels[i] ?? {}));
  };

  test('pods by every spelling, and by address where there is no label', () => {
    const found = refs('inference.waiting', llama, 'pod', [
      { namespace: 'ml', pod: 'llama-1' },
      { k8s_namespace_name: 'ml', k8s_pod_name: 'llama-1' },
      { kubernetes_namespace: 'ml', kubernetes_pod_name: 'llama-1' },
      { instance: '10.0.0.2:8000' },
    ]);
    expect(found).toEqual(Array(4).fill('pod:eu/ml/llama-1'));
  });

  test('a pod of an earlier revision', () => {
    expect(refs('container.restarts', chat, 'pod', [{ namespace: 'ml', pod: 'chat-55c7d9f4b-abcde' }])[0]).toBe(
      'pod:eu/ml/chat-55c7d9f4b-abcde',
    );
    expect(first('container.restarts', chat, { by: 'pod' })).toContain(
      'pod=~"chat-[bcdfghjklmnpqrstvwxz2456789]{5,10}-[bcdfghjklmnpqrstvwxz2456789]{5}"',
    );
  });

  test('nodes by name or by the address of the exporter', () => {
    const found = refs('node.cpu.usage', node, 'node', [
      { node: 'gpu-1' },
      { kubernetes_node: 'gpu-1' },
      { nodename: 'gpu-1' },
      { instance: '192.168.0.7:9100' },
    ]);
    expect(found).toEqual(Array(4).fill(node.ref));
  });

  test('cards by UUID, whatever pod labels say', () => {
    expect(refs('gpu.temperature', llama, 'gpu', [{ UUID: 'GPU-b', pod: 'dcgm-exporter-x' }])[0]).toBe(
      'gpu:eu/-/GPU-b',
    );
    expect(refs('gpu.temperature', llama, 'gpu', [{ UUID: 'GPU-unknown' }])[0]).toBeUndefined();
  });
});

describe('what cannot be asked is named', () => {
  test.each([
    ['inference.adapter_loads', llama, /no system/],
    ['gpu.sm_clock', chat, /no gpu of it is known/],
    ['no.such.signal', llama, /no such signal/],
    ['edge.duration', llama, /no spans/],
  ])('%s', (signal, of, why) => {
    const { queries, missing } = plan(signal, of);
    expect(queries).toEqual([]);
    expect(missing).toMatchObject([{ signal, entity: of.ref, why: expect.stringMatching(why) }]);
  });

  test('every source says how to get what it gives', () => {
    const asked = SIGNALS.filter((signal) => systemsFor(signal.name).length > 0);
    expect(asked.length).toBeGreaterThan(60);
    for (const signal of asked) {
      for (const of of [llama, node, gpus[0] ?? node, chat, service]) {
        for (const query of plan(signal.name, of).queries) expect(query.fix).toMatch(/\.$/);
      }
    }
  });
});

test('a service is asked by its pods, and by spans after that', () => {
  const { queries } = plan('service.duration', service);
  expect(queries.map((query) => [query.kind, query.system])).toEqual([
    ['promql', 'opentelemetry'],
    ['promql', 'qdrant'],
    ['spans', 'opentelemetry'],
  ]);
  expect(queries.at(-1)).toMatchObject({
    side: 'service',
    measure: 'duration',
    stat: 'p95',
    services: [{ service: 'chat', entity: service.ref }],
  });
});

test('ratios of several entities are shares of sums, never sums of ratios', () => {
  for (const signal of SIGNALS.filter((s) => s.unit === 'ratio')) expect(signal.aggregate).not.toBe('sum');
});
