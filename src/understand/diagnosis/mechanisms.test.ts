import { describe, expect, test } from 'vitest';
import { type Change, type Entity, everything, type Investigation, type SymptomKind } from '../../model/index.ts';
import { investigate } from './investigate.ts';
import { type Move, signalsInMemory } from './testdata/signals-in-memory.ts';
import { gpu, LLAMA, node, pod, smallEstate } from './testdata/small-estate.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-12-01T12:00:00Z');
const AT = NOW - 15 * MINUTE;
const ALL = [0, 1, 2];

interface Case {
  moves: Move[];
  symptom?: SymptomKind;
  changes?: Change[];
  /** Alters entities of the estate, as Kubernetes objects would show them. */
  entity?: (entity: Entity) => Entity;
}

async function ask({ moves, symptom, changes = [], entity }: Case): Promise<Investigation> {
  const estate = smallEstate(NOW, entity ? { entity } : {});
  const request = { subject: LLAMA, window: { from: NOW - 30 * MINUTE, to: NOW }, ...(symptom ? { symptom } : {}) };
  return investigate({
    id: 'inv_test',
    request,
    scope: everything,
    estate,
    changes,
    evidence: signalsInMemory({ estate, moves }),
    now: NOW,
  });
}

const move = (signal: string, entity: string, to: number, at = AT): Move => ({ signal, entity, to, at });
const slow = (pods: readonly number[], signal = 'inference.ttft', to = 3): Move[] =>
  pods.map((i) => move(signal, pod(i), to));
const onNode1 = [0, 1];
const change = (kind: Change['kind'], entity: string, atMs: number, summary: string, actor?: string): Change => ({
  id: summary, atMs, entity, kind, before: '', after: '', summary, group: summary, ...(actor ? { actor } : {}),
}); // biome-ignore format: one record
const unwell =
  (name: string, status: Entity['health']['status'], reason: string, facts: Entity['facts'] = {}) =>
  (entity: Entity): Entity =>
    entity.name === name && entity.kind === 'pod'
      ? { ...entity, createdMs: AT, health: { status, reasons: [reason] }, facts: { ...entity.facts, ...facts } }
      : entity;

describe('a mechanism is named when its own signals move', () => {
  test.each<[string, string, Case]>([
    ['gpu-lost', gpu(2), { symptom: 'errors', moves: [move('gpu.xid', gpu(2), 79), move('inference.errors', pod(1), 1)] }],
    ['nvlink-fault', gpu(4), { moves: [move('gpu.xid', gpu(4), 74), ...slow([2], 'inference.itl', 0.08)] }],
    [
      'node-memory-pressure', node(1),
      { moves: [move('node.memory.available', node(1), 0.03), move('node.condition.memory', node(1), 1), ...slow(onNode1)] },
    ],
    ['disk-pressure', node(2), { moves: [move('node.disk.used_ratio', node(2), 0.93), move('node.condition.disk', node(2), 1), ...slow([2])] }],
    ['vm-steal', node(1), { moves: [move('node.cpu.steal', node(1), 0.3), ...slow(onNode1)] }],
    ['node-packet-loss', node(2), { moves: [move('node.net.retransmits', node(2), 0.04), move('node.net.drops', node(2), 40), ...slow([2])] }],
    [
      'insufficient-capacity', 'cluster:prod-eu/-/prod-eu',
      {
        symptom: 'latency',
        moves: [move('workload.desired', LLAMA, 4), ...slow(ALL), ...ALL.map((i) => move('inference.waiting', pod(i), 20))],
        entity: unwell('llama-2', 'failing', 'no node fits for 15 min: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu'),
      },
    ],
    [
      'image-pull-failed', LLAMA,
      {
        symptom: 'availability',
        moves: [move('workload.ready', LLAMA, 2), move('container.image_pull_failing', pod(2), 1), move('container.ready', pod(2), 0)],
        changes: [change('image', LLAMA, AT - MINUTE, 'image vllm:0.11 → vllm:0.12-typo')],
        entity: unwell('llama-2', 'failing', 'container vllm cannot pull its image (ImagePullBackOff)'),
      },
    ],
    [
      'node-drained', node(2),
      {
        symptom: 'availability',
        moves: [move('node.unschedulable', node(2), 1, AT - MINUTE), move('workload.ready', LLAMA, 2)],
        changes: [change('cordon', node(2), AT - MINUTE, 'cordoned', 'anna')],
      },
    ],
    [
      'bad-rollout', LLAMA,
      {
        moves: slow([1, 2]),
        changes: [change('image', LLAMA, AT - MINUTE, 'image vllm:0.11 → vllm:0.12')],
        entity: (entity) => (entity.ref === pod(1) || entity.ref === pod(2) ? { ...entity, createdMs: AT - 30_000 } : entity),
      },
    ],
    [
      'prefix-cache-collapse', LLAMA,
      { moves: ALL.flatMap((i) => [move('inference.prefix_hit_ratio', pod(i), 0.05), move('inference.prefill_time', pod(i), 1.1), ...slow([i])]) },
    ],
    [
      'batch-limit-low', LLAMA,
      {
        moves: ALL.flatMap((i) => [
          move('inference.running', pod(i), 4), move('inference.waiting', pod(i), 18), move('inference.kv_usage', pod(i), 0.2),
          move('gpu.utilization', gpu(2 * i), 0.5), move('gpu.utilization', gpu(2 * i + 1), 0.5), ...slow([i]),
        ]),
      },
    ],
  ])('%s', async (mechanism, entity, situation) => {
    const result = await ask(situation);
    expect(result.causes.map((cause) => [cause.mechanism, cause.entity])).toEqual([[mechanism, entity]]);
    expect(result.next.length).toBeGreaterThan(0);
  }); // biome-ignore format: a table to read

  test('a link that sends packets again is a weak sign, but the only one', async () => {
    const result = await ask({ moves: [move('gpu.pcie.replays', gpu(0), 40), ...slow([0])] });
    expect(result.causes.map((cause) => cause.mechanism)).toContain('pcie-degraded');
  });

  test('a change of the right kind at the right time goes with its cause', async () => {
    const limits = change('configuration', LLAMA, AT - MINUTE, 'max-num-seqs 256 → 4');
    const moves = ALL.flatMap((i) => [
      move('inference.running', pod(i), 4),
      move('inference.waiting', pod(i), 18),
      ...slow([i]),
    ]);
    expect((await ask({ moves, changes: [limits] })).causes).toMatchObject([
      { mechanism: 'batch-limit-low', change: limits },
    ]);
  });
});

describe('and is not when the look-alike explains it', () => {
  test.each<[string, string, Case]>([
    ['power: cards at their limit as always', 'gpu-power-cap', { moves: [...Array.from({ length: 8 }, (_, i) => move('gpu.throttle.power', gpu(i), 0.8, 0)), ...slow(ALL)] }],
    ['power: the limit holds a hot card', 'gpu-power-cap', { moves: [move('gpu.sm_clock', gpu(0), 1300), move('gpu.throttle.power', gpu(0), 0.5), move('gpu.temperature', gpu(0), 90), ...slow([0])] }],
    ['restarts without an OOM kill', 'memory-limit-oom', { moves: [move('container.restarts', pod(0), 2), ...slow([0])] }],
    ['an OOM kill of last week', 'memory-limit-oom', { moves: [move('container.oom', pod(0), 1, 0), move('container.restarts', pod(0), 1, 0), ...slow([0])] }],
    ['memory of the node always that low', 'node-memory-pressure', { moves: [move('node.memory.available', node(1), 0.06, 0), ...slow(onNode1)] }],
    ['retransmits of another node', 'node-packet-loss', { moves: [move('node.net.retransmits', node(2), 0.04), ...slow([0])] }],
    ['CPU limits that always throttle', 'cpu-limit-throttle', { moves: [...ALL.map((i) => move('container.cpu.throttled_ratio', pod(i), 0.5, 0)), ...slow(ALL)] }],
    ['a full KV cache that was always full', 'kv-cache-exhausted', { moves: [...ALL.map((i) => move('inference.kv_usage', pod(i), 0.97, 0)), ...slow(ALL)] }],
    ['a rollout whose new replicas are well', 'bad-rollout', {
      moves: slow([0]),
      changes: [change('image', LLAMA, AT - MINUTE, 'image a → b')],
      entity: (entity) => (entity.ref === pod(2) ? { ...entity, createdMs: AT - 30_000 } : entity),
    }],
    ['a cordon that took no replica', 'node-drained', { moves: [move('node.unschedulable', node(2), 1), ...slow([0])] }],
    ['longer prompts, so fewer hits', 'prefix-cache-collapse', {
      moves: ALL.flatMap((i) => [move('inference.prefix_hit_ratio', pod(i), 0.05), move('inference.prefill_time', pod(i), 1.1), move('inference.prompt_length', pod(i), 9000), ...slow([i])]),
    }],
    ['more requests that a larger batch takes', 'demand-burst', { moves: ALL.flatMap((i) => [move('inference.requests', pod(i), 4), move('inference.running', pod(i), 24), move('inference.itl', pod(i), 0.04)]) }],
  ])('%s', async (_, mechanism, situation) => {
    expect((await ask(situation)).causes.map((cause) => cause.mechanism)).not.toContain(mechanism);
  }); // biome-ignore format: a table to read
});

test('two cards under two replicas are two causes', async () => {
  const hot = (card: number) => [
    move('gpu.sm_clock', gpu(card), 1200),
    move('gpu.throttle.thermal', gpu(card), 0.9),
    move('gpu.temperature', gpu(card), 92),
  ];
  const result = await ask({ moves: [...hot(0), ...hot(5), ...slow([0, 2], 'inference.itl', 0.1)] });
  expect(result.causes.map((cause) => cause.entity).sort()).toEqual([gpu(0), gpu(5)]);
});

describe('what was wrong before any baseline', () => {
  test('an image that could not be pulled for hours', async () => {
    const moves = [move('workload.ready', LLAMA, 2, 0), move('container.image_pull_failing', pod(2), 1, 0)];
    expect((await ask({ moves })).causes.map((cause) => cause.mechanism)).toEqual(['image-pull-failed']);
  });

  test('errors without a cause are no fault that could be denied', async () => {
    const result = await ask({ moves: ALL.map((i) => move('inference.errors', pod(i), 0.3, 0)) });
    expect(result).toMatchObject({ verdict: 'cannot-tell', symptom: 'errors', causes: [] });
  });
});
