import { describe, expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import {
  createSnapshot,
  type Entity,
  type EntityKind,
  emptySamples,
  everything,
  formatRef,
  labelSetFrom,
  type Relation,
  type SampleBatch,
  type Stat,
} from '../model/index.ts';
import { createMemorySource, createPromqlEngine, type PromqlEngine } from '../query/index.ts';
import { createEvidenceSource } from './evidence.ts';

const MINUTE = 60_000;
const T0 = Date.parse('2026-12-01T12:00:00Z');
const END = T0 + 10 * MINUTE;

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
const pods = [0, 1].map((i) => entity('pod', 'ml', `llama-${i}`, { ip: `10.0.0.${i + 1}` }));
const gpus = ['GPU-a', 'GPU-b'].map((name) => entity('gpu', '', name));
const node = entity('node', '', 'gpu-1', { internalIP: '192.168.0.7' });
const service = entity('service', '', 'llama');
const relation = (kind: Relation['kind'], from: Entity, to: Entity): Relation => ({
  kind,
  from: from.ref,
  to: to.ref,
  confidence: 'exact',
});
const estate = createSnapshot(END, [llama, ...pods, ...gpus, node, service], [
  ...pods.flatMap((pod, i) => [relation('contains', llama, pod), relation('runs-on', pod, node), ...(gpus[i] ? [relation('uses', pod, gpus[i])] : [])]),
  ...gpus.map((gpu) => relation('contains', node, gpu)),
  relation('serves', llama, service),
], everything); // biome-ignore format: a list to read

type Page = readonly (readonly [labels: Record<string, string>, valueAt: (seconds: number) => number])[];

/** Series scraped every 15 s for ten minutes: `__name__` and labels, and the value by seconds since the start. */
function samples(page: Page): SampleBatch {
  const times = Array.from({ length: 41 }, (_, i) => i * 15);
  const count = page.length * times.length;
  const batch = {
    ...emptySamples(),
    series: page.map(([labels]) => ({ labels: labelSetFrom({ cluster: 'eu', ...labels }), cluster: 'eu' })),
  };
  const all = page.flatMap(([, valueAt], series) => times.map((time) => ({ series, time, value: valueAt(time) })));
  return Object.assign(batch, {
    seriesOf: Uint32Array.from({ length: count }, (_, i) => all[i]?.series ?? 0),
    timesMs: Float64Array.from({ length: count }, (_, i) => T0 + (all[i]?.time ?? 0) * 1000),
    values: Float64Array.from({ length: count }, (_, i) => all[i]?.value ?? 0),
  });
}

function engineOver(page: Page): PromqlEngine {
  const source = createMemorySource();
  source.add(samples(page));
  return createPromqlEngine({ source, clock: systemClock });
}

interface Ask {
  signal: string;
  of?: Entity;
  by?: EntityKind;
  stat?: Stat;
}

/** The one entrance: a page and a question in, the last value per entity out. */
async function last(page: Page, { signal, of = llama, by, stat }: Ask): Promise<Record<string, number>> {
  const evidence = createEvidenceSource({ engine: engineOver(page), estate, scope: everything, clock: systemClock });
  const answer = await evidence.fetch({
    signal,
    of: [of.ref],
    ...(by ? { by } : {}),
    ...(stat ? { stat } : {}),
    from: T0,
    to: END,
    step: MINUTE,
    rateSeconds: 120,
  });
  return Object.fromEntries(
    answer.series.map(({ entity: ref, values }) => [ref, Math.round((values.at(-1) ?? Number.NaN) * 1000) / 1000]),
  );
}

const pod = (i: number, labels: Record<string, string>) => ({
  namespace: 'ml',
  pod: `llama-${i}`,
  container: 'vllm',
  instance: `10.0.0.${i + 1}:8000`,
  ...labels,
});
const card = (uuid: string, labels: Record<string, string>) => ({
  UUID: uuid,
  Hostname: 'gpu-1',
  node: 'gpu-1',
  ...labels,
});
const constant = (value: number) => () => value;
const counter = (perSecond: number) => (seconds: number) => perSecond * seconds;

describe('awkward pages give the right canonical values', () => {
  test.each<[string, Page, Ask, Record<string, number>]>([
    [
      'old and new spellings side by side count once',
      [
        [pod(0, { __name__: 'vllm:kv_cache_usage_perc', engine: '0' }), constant(0.5)],
        [pod(0, { __name__: 'vllm:gpu_cache_usage_perc', engine: '0' }), constant(0.5)],
        [pod(1, { __name__: 'vllm:gpu_cache_usage_perc' }), constant(0.7)],
      ],
      { signal: 'inference.kv_usage' },
      { [llama.ref]: 0.6 },
    ],
    [
      'engines of a data-parallel pod are added',
      [
        [pod(0, { __name__: 'vllm:num_requests_waiting', engine: '0' }), constant(3)],
        [pod(0, { __name__: 'vllm:num_requests_waiting', engine: '1' }), constant(4)],
      ],
      { signal: 'inference.waiting', by: 'pod' },
      { 'pod:eu/ml/llama-0': 7 },
    ],
    [
      'quantiles come from merged buckets',
      [0, 1].flatMap((i): [Record<string, string>, (s: number) => number][] => [
        [pod(i, { __name__: 'vllm:time_to_first_token_seconds_bucket', le: '1' }), counter(i === 0 ? 1 : 0)],
        [pod(i, { __name__: 'vllm:time_to_first_token_seconds_bucket', le: '2' }), counter(1)],
        [pod(i, { __name__: 'vllm:time_to_first_token_seconds_bucket', le: '+Inf' }), counter(1)],
      ]),
      { signal: 'inference.ttft', stat: 'p50' },
      { [llama.ref]: 1 },
    ],
    [
      'no failed request yet is zero errors, not unknown',
      [[pod(0, { __name__: 'vllm:request_success_total', finished_reason: 'stop' }), counter(2)]],
      { signal: 'inference.errors' },
      { [llama.ref]: 0 },
    ],
    [
      'a pod known only by its address',
      [[{ __name__: 'vllm:num_requests_running', instance: '10.0.0.2:8000', job: 'vllm' }, constant(5)]],
      { signal: 'inference.running', by: 'pod' },
      { 'pod:eu/ml/llama-1': 5 },
    ],
    [
      "a shared card counts once, and the exporter's own pod labels do not matter",
      [
        [
          card('GPU-a', { __name__: 'DCGM_FI_DEV_POWER_USAGE', pod: 'dcgm-exporter-x', exported_pod: 'llama-0' }),
          constant(300),
        ],
        [
          card('GPU-a', {
            __name__: 'DCGM_FI_DEV_POWER_USAGE',
            pod: 'dcgm-exporter-x',
            exported_pod: 'other',
            vgpu: '1',
          }),
          constant(300),
        ],
        [card('GPU-b', { __name__: 'DCGM_FI_DEV_POWER_USAGE' }), constant(100)],
      ],
      { signal: 'gpu.power', of: node },
      { [node.ref]: 400 },
    ],
    [
      'throttling from the violation counter, in nanoseconds',
      [[card('GPU-a', { __name__: 'DCGM_FI_DEV_THERMAL_VIOLATION' }), counter(0.25e9)]],
      { signal: 'gpu.throttle.thermal', by: 'gpu' },
      { 'gpu:eu/-/GPU-a': 0.25 },
    ],
    [
      'throttling from the reasons mask: software thermal among other bits, and a power cap that is none',
      [
        [card('GPU-a', { __name__: 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS' }), constant(0x20 | 0x4 | 0x1)],
        [card('GPU-b', { __name__: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS' }), constant(0x4 | 0x2)],
      ],
      { signal: 'gpu.throttle.thermal', by: 'gpu' },
      { 'gpu:eu/-/GPU-a': 1, 'gpu:eu/-/GPU-b': 0 },
    ],
    [
      'throttling from counted events',
      [
        [card('GPU-a', { __name__: 'DCGM_EXP_CLOCK_EVENTS_COUNT', clock_event: 'hw_thermal' }), constant(3)],
        [card('GPU-a', { __name__: 'DCGM_EXP_CLOCK_EVENTS_COUNT', clock_event: 'gpu_idle' }), constant(9)],
        [card('GPU-b', { __name__: 'DCGM_EXP_CLOCK_EVENTS_COUNT', clock_event: 'hw_thermal' }), constant(0)],
      ],
      { signal: 'gpu.throttle.thermal', by: 'gpu' },
      { 'gpu:eu/-/GPU-a': 1, 'gpu:eu/-/GPU-b': 0 },
    ],
    [
      'frame buffer in MiB, the total from its parts',
      [
        [card('GPU-a', { __name__: 'DCGM_FI_DEV_FB_USED' }), constant(70_000)],
        [card('GPU-a', { __name__: 'DCGM_FI_DEV_FB_FREE' }), constant(10_000)],
        [card('GPU-a', { __name__: 'DCGM_FI_DEV_FB_RESERVED' }), constant(559)],
      ],
      { signal: 'gpu.memory.total', of: gpus[0] ?? node },
      { 'gpu:eu/-/GPU-a': 80_559 * 1_048_576 },
    ],
    [
      "the pod's own cgroup and its pause container do not count",
      [
        [pod(0, { __name__: 'container_memory_working_set_bytes' }), constant(5)],
        [pod(0, { __name__: 'container_memory_working_set_bytes', container: '' }), constant(6)],
        [pod(0, { __name__: 'container_memory_working_set_bytes', container: 'POD' }), constant(1)],
      ],
      { signal: 'container.memory.working_set', by: 'pod' },
      { 'pod:eu/ml/llama-0': 5 },
    ],
    [
      'kube-state-metrics whose labels were renamed by the scrape',
      [
        [
          {
            __name__: 'kube_pod_container_status_restarts_total',
            namespace: 'monitoring',
            pod: 'ksm-0',
            exported_namespace: 'ml',
            exported_pod: 'llama-1',
            exported_container: 'vllm',
          },
          constant(2),
        ],
      ],
      { signal: 'container.restarts', by: 'pod' },
      { 'pod:eu/ml/llama-1': 2 },
    ],
    [
      'a waiting reason that is only there while it holds',
      [
        [pod(0, { __name__: 'kube_pod_container_status_ready' }), constant(0)],
        [pod(1, { __name__: 'kube_pod_container_status_ready' }), constant(1)],
        [pod(0, { __name__: 'kube_pod_container_status_waiting_reason', reason: 'ImagePullBackOff' }), constant(1)],
      ],
      { signal: 'container.image_pull_failing', by: 'pod' },
      { 'pod:eu/ml/llama-0': 1, 'pod:eu/ml/llama-1': 0 },
    ],
    [
      'node_exporter without a node label',
      [
        [{ __name__: 'node_memory_MemAvailable_bytes', instance: '192.168.0.7:9100' }, constant(25)],
        [{ __name__: 'node_memory_MemTotal_bytes', instance: '192.168.0.7:9100' }, constant(100)],
      ],
      { signal: 'node.memory.available', of: node, by: 'node' },
      { [node.ref]: 0.25 },
    ],
    [
      'an autoscaler with another name than its target',
      [
        [
          {
            __name__: 'kube_horizontalpodautoscaler_info',
            namespace: 'ml',
            horizontalpodautoscaler: 'scale-it',
            scaletargetref_name: 'llama',
            scaletargetref_kind: 'StatefulSet',
          },
          constant(1),
        ],
        [
          {
            __name__: 'kube_horizontalpodautoscaler_spec_max_replicas',
            namespace: 'ml',
            horizontalpodautoscaler: 'scale-it',
          },
          constant(8),
        ],
        [
          {
            __name__: 'kube_horizontalpodautoscaler_spec_max_replicas',
            namespace: 'ml',
            horizontalpodautoscaler: 'other',
          },
          constant(3),
        ],
      ],
      { signal: 'workload.hpa.max' },
      { [llama.ref]: 8 },
    ],
    [
      'NVLink series spell the card their own way',
      [
        [{ __name__: 'DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL', gpu_uuid: 'GPU-a', nvlink: '0' }, counter(1)],
        [{ __name__: 'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', gpu_uuid: 'GPU-a', nvlink: '0' }, counter(2)],
        [{ __name__: 'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', gpu_uuid: 'GPU-a', nvlink: '1' }, counter(4)],
      ],
      { signal: 'gpu.nvlink.errors', by: 'gpu' },
      { 'gpu:eu/-/GPU-a': 7 },
    ],
  ])('%s', async (_, page, ask, expected) => {
    expect(await last(page, ask)).toEqual(expected);
  });
});

describe('the rest of an answer', () => {
  test('points lie on the grid, with holes where nothing was scraped', async () => {
    const evidence = createEvidenceSource({
      engine: engineOver([[pod(0, { __name__: 'vllm:num_requests_running' }), constant(5)]]),
      estate,
      scope: everything,
      clock: systemClock,
    });
    const answer = await evidence.fetch({
      signal: 'inference.running',
      of: [llama.ref],
      from: T0 - 2 * MINUTE,
      to: T0 + MINUTE,
      step: MINUTE,
      rateSeconds: 120,
    });
    expect(answer.series.map(({ values }) => [...values])).toEqual([[Number.NaN, Number.NaN, 5, 5]]);
    expect(answer.queries).toMatchObject([{ system: 'vllm', language: 'promql' }]);
  });

  test('a signal that nobody collects is named with what would bring it', async () => {
    const evidence = createEvidenceSource({ engine: engineOver([]), estate, scope: everything, clock: systemClock });
    const answer = await evidence.fetch({
      signal: 'gpu.throttle.thermal',
      of: [llama.ref],
      by: 'gpu',
      from: T0,
      to: END,
      step: MINUTE,
      rateSeconds: 120,
    });
    expect(answer.series).toEqual([]);
    expect(answer.missing).toMatchObject([
      {
        signal: 'gpu.throttle.thermal',
        entity: llama.ref,
        fix: expect.stringContaining('DCGM_FI_DEV_THERMAL_VIOLATION'),
      },
    ]);
    expect(evidence.spent().queries).toBe(2);
  });

  test('a query that fails degrades its own answer and says so', async () => {
    const engine: PromqlEngine = {
      instant: () => Promise.reject(new Error('no')),
      range: () => Promise.reject(new Error('the store is down')),
    };
    const evidence = createEvidenceSource({ engine, estate, scope: everything, clock: systemClock });
    const answer = await evidence.fetch({
      signal: 'inference.ttft',
      of: [llama.ref],
      from: T0,
      to: END,
      step: MINUTE,
      rateSeconds: 120,
    });
    expect(answer.missing).toMatchObject([{ why: 'the query failed: the store is down' }]);
  });

  test('more queries than allowed are not issued, however many are asked for at once', async () => {
    const inner = engineOver([]);
    let issued = 0;
    const range: PromqlEngine['range'] = (query) => {
      issued++;
      return inner.range(query);
    };
    const evidence = createEvidenceSource({
      engine: { ...inner, range }, estate, scope: everything, clock: systemClock, mostQueries: 3,
    }); // biome-ignore format: one record
    const ask = { of: [llama.ref], by: 'gpu', from: T0, to: END, step: MINUTE, rateSeconds: 120 } as const;
    const signals = ['gpu.throttle.thermal', 'gpu.throttle.power', 'gpu.sm_clock', 'gpu.power', 'gpu.temperature'];
    const answers = await Promise.all(signals.map((signal) => evidence.fetch({ ...ask, signal })));
    expect([issued, evidence.spent().queries]).toEqual([3, 3]);
    expect(answers.flatMap(({ missing }) => missing.map(({ why }) => why))).toContain(
      'not asked to the end: its 3 queries were spent',
    );
  });

  test.each([
    ['time that is up is named', new DOMException('late', 'TimeoutError'), 'not asked to the end: its time was over'],
    ['a stop is thrown', new DOMException('stop', 'AbortError'), undefined],
  ])('%s', async (_, reason, why) => {
    const inner = engineOver([]);
    const stop = new AbortController();
    const range: PromqlEngine['range'] = () => {
      stop.abort(reason);
      return Promise.reject(new Error('canceled'));
    };
    const evidence = createEvidenceSource({
      engine: { ...inner, range }, estate, scope: everything, clock: systemClock, signal: stop.signal,
    }); // biome-ignore format: one record
    const answer = evidence
      .fetch({ signal: 'inference.ttft', of: [llama.ref], from: T0, to: END, step: MINUTE, rateSeconds: 120 })
      .then(
        ({ missing }) => missing.map((lack) => lack.why),
        (error: Error) => error.message,
      );
    expect(await answer).toEqual(why === undefined ? 'canceled' : [why]);
  });

  test('spans answer for a service without HTTP metrics', async () => {
    const asked: object[] = [];
    const evidence = createEvidenceSource({
      engine: engineOver([]),
      traces: {
        measure: async (query) => {
          asked.push(query);
          return [
            { service: 'llama', timesMs: Float64Array.of(T0, T0 + 2 * MINUTE), values: Float64Array.of(1.5, 2.5) },
          ];
        },
      },
      estate,
      scope: everything,
      clock: systemClock,
    });
    const answer = await evidence.fetch({
      signal: 'service.duration',
      of: [service.ref],
      stat: 'p95',
      from: T0,
      to: T0 + 2 * MINUTE,
      step: MINUTE,
      rateSeconds: 120,
    });
    expect(answer.series.map((series) => [series.entity, ...series.values])).toEqual([
      [service.ref, 1.5, Number.NaN, 2.5],
    ]);
    expect(answer.missing).toEqual([]);
    expect(asked).toMatchObject([
      { cluster: 'eu', services: ['llama'], side: 'service', measure: 'duration', stat: 'p95', stepMs: 2 * MINUTE },
    ]);
  });
});
