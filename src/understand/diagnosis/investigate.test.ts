import { describe, expect, test } from 'vitest';
import {
  type Change,
  everything,
  type Investigation,
  type InvestigationRequest,
  type Scope,
} from '../../model/index.ts';
import { investigate } from './investigate.ts';
import { type InMemory, type Move, signalsInMemory } from './testdata/signals-in-memory.ts';
import { GATEWAY, gpu, LLAMA, node, pod, QDRANT, service, smallEstate } from './testdata/small-estate.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-12-01T12:00:00Z');

interface Ask {
  subject?: string;
  symptom?: InvestigationRequest['symptom'];
  from?: number;
  to?: number;
  baseline?: InvestigationRequest['baseline'];
  changes?: Change[];
  scope?: Scope;
  estate?: ReturnType<typeof smallEstate>;
}

/** The one entrance: moves of signals in, the investigation out. Times are minutes before now. */
async function ask(
  moves: readonly Move[],
  { subject = LLAMA, from = 30, to = 0, ...rest }: Ask = {},
  world: Partial<InMemory> = {},
): Promise<Investigation> {
  const estate = rest.estate ?? smallEstate(NOW);
  const evidence = signalsInMemory({ estate, moves, ...world });
  return investigate({
    id: 'inv_test',
    request: {
      subject,
      ...(rest.symptom ? { symptom: rest.symptom } : {}),
      window: { from: NOW - from * MINUTE, to: NOW - to * MINUTE },
      ...(rest.baseline ? { baseline: rest.baseline } : {}),
    },
    scope: rest.scope ?? everything,
    estate,
    changes: rest.changes ?? [],
    evidence,
    now: NOW,
  });
}

/** One GPU of replica 0 gets hot `ago` minutes before now; the replica slows and its requests pile up. */
function hotCard(ago: number, card = 1, replica = 0): Move[] {
  const at = NOW - ago * MINUTE;
  return [
    { signal: 'gpu.temperature', entity: gpu(card), to: 91, at: at - MINUTE },
    { signal: 'gpu.sm_clock', entity: gpu(card), to: 1215, at },
    { signal: 'gpu.throttle.thermal', entity: gpu(card), to: 0.9, at },
    { signal: 'gpu.power', entity: gpu(card), to: 420, at },
    { signal: 'inference.itl', entity: pod(replica), to: 0.11, at },
    { signal: 'inference.e2e', entity: pod(replica), to: 26, at: at + MINUTE },
    { signal: 'inference.decode_time', entity: pod(replica), to: 24, at: at + MINUTE },
    { signal: 'inference.running', entity: pod(replica), to: 40, at: at + MINUTE },
    { signal: 'inference.kv_usage', entity: pod(replica), to: 0.93, at: at + 3 * MINUTE },
  ];
}

const question = (result: Investigation, id: string) => result.questions.find((answer) => answer.id === id);

describe('a GPU that throttles for heat', () => {
  test('is the cause, with the replica as subset and the chain to the subject', async () => {
    const result = await ask(hotCard(15));
    expect(result.verdict).toBe('cause-found');
    expect(result.causes).toHaveLength(1);
    expect(result.causes[0]).toMatchObject({
      entity: gpu(1),
      mechanism: 'gpu-thermal-throttle',
      layer: 'infrastructure',
      chain: [gpu(1), pod(0), LLAMA],
    });
    expect(result.confidence).toBeGreaterThan(0.75);
    expect(Math.abs((result.onset?.at ?? 0) - (NOW - 15 * MINUTE))).toBeLessThanOrEqual(90_000);
    expect(result.onset?.low).toBeLessThanOrEqual(NOW - 15 * MINUTE);
    expect(result.onset?.high).toBeGreaterThanOrEqual(NOW - 15 * MINUTE);
    expect(result.subsets).toMatchObject([{ ref: pod(0), attribute: 'pod', value: 'llama-0' }]);
    const cited = result.evidence
      .filter((entry) => result.causes[0]?.evidence.includes(entry.id))
      .map((entry) => [entry.signal, entry.entity]);
    expect(cited).toEqual([
      ['gpu.sm_clock', gpu(1)],
      ['gpu.throttle.thermal', gpu(1)],
      ['gpu.temperature', gpu(1)],
    ]);
    expect(question(result, 'gpu')?.status).toBe('problem');
    expect(question(result, 'scope')?.summary).toMatch(/^1 of 3 replicas: pod llama-0/);
    expect(question(result, 'phases')?.summary).toMatch(/^decode grew/);
    expect(result.headline).toMatch(/^GPU 1 \(GPU-1\) on gpu-1 throttles for heat; time between tokens/);
    const ruledOut = result.ruledOut.map((entry) => entry.mechanism);
    for (const mechanism of [
      'gpu-power-cap',
      'demand-burst',
      'memory-limit-oom',
      'noisy-neighbour',
      'cpu-limit-throttle',
    ])
      expect(ruledOut).toContain(mechanism);
    expect(result.next[0]?.text).toMatch(/pod llama-0/);
  });

  test.each([
    ['the window begins after it', 10],
    ['the window begins with it', 15],
    ['the window is a minute off', 16],
    ['it lies inside the window', 45],
  ])('%s', async (_, from) => {
    const result = await ask(hotCard(15), { from });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
    expect(Math.abs((result.onset?.at ?? 0) - (NOW - 15 * MINUTE))).toBeLessThanOrEqual(90_000);
  });

  test('with a baseline of the caller', async () => {
    const baseline = { from: NOW - 5 * 60 * MINUTE, to: NOW - 4 * 60 * MINUTE };
    const result = await ask(hotCard(15), { baseline });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
    expect(result.baseline).toEqual(baseline);
  });

  test('that began before any baseline is found by its peers', async () => {
    const result = await ask(hotCard(300));
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
  });

  test('found beneath a service two calls away', async () => {
    const at = NOW - 15 * MINUTE;
    const slow: Move[] = [
      { signal: 'service.duration', entity: service('gateway'), to: 12, at },
      { signal: 'service.duration', entity: service('rag'), to: 11, at },
      { signal: 'service.duration', entity: service('llama'), to: 10, at },
    ];
    const result = await ask([...hotCard(15), ...slow], { subject: GATEWAY });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
    expect(result.causes[0]?.chain.at(-1)).toBe(GATEWAY);
    expect(question(result, 'downstream')?.status).toBe('problem');
  });

  test('asked about the GPU itself', async () => {
    const result = await ask(hotCard(15), { subject: gpu(1) });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
  });

  test('asked about its replica', async () => {
    const result = await ask(hotCard(15), { subject: pod(0) });
    expect(result.causes).toMatchObject([{ entity: gpu(1), chain: [gpu(1), pod(0)] }]);
  });

  test('is not named to who asks about another replica', async () => {
    expect(await ask(hotCard(15), { subject: pod(1) })).toMatchObject({ verdict: 'no-fault', causes: [] });
  });

  test('an innocent rollout of the caller half a minute before is not named', async () => {
    const rollout = change('rollout', NOW - 15.5 * MINUTE, LLAMA, 'image rag:41 → rag:42');
    const result = await ask(hotCard(15), { changes: [rollout] });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
    expect(question(result, 'changes')?.summary).toMatch(/none fits/);
  });

  test('without throttle reasons: still found, less sure, and what is not seen is named', async () => {
    const result = await ask(hotCard(15), {}, { absent: /^gpu\.throttle/ });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
    expect(result.confidence).toBeLessThan((await ask(hotCard(15))).confidence);
    expect(result.unseen.map((entry) => entry.signal)).toContain('gpu.throttle.thermal');
  });

  test('without any GPU telemetry: no accusation of a GPU', async () => {
    const result = await ask(hotCard(15), {}, { absent: /^gpu\./ });
    expect(result.causes.filter((cause) => cause.mechanism.startsWith('gpu-'))).toEqual([]);
    expect(result.unseen.map((entry) => entry.signal)).toContain('gpu.sm_clock');
    expect(question(result, 'gpu')?.status).toBe('unknown');
  });

  test.each([1, 2, 3, 4, 5])('with a fifth of all points lost and scrapes of a minute, seed %i', async (seed) => {
    const result = await ask(hotCard(15), {}, { lost: 0.2, scrape: MINUTE, seed });
    expect(result.causes.map((cause) => cause.entity)).toEqual([gpu(1)]);
  });
});

describe('no accusation', () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))('busy and healthy at 98 %%, seed %i', async (seed) => {
    const result = await ask([], {}, { seed });
    expect(result).toMatchObject({ verdict: 'no-fault', causes: [], onset: undefined });
    expect(question(result, 'gpu')).toMatchObject({ status: 'ok' });
    expect(question(result, 'gpu')?.summary).toMatch(/busy, which is not a problem/);
  });

  test('a hot card that slows nobody is told but not blamed', async () => {
    const harmless = hotCard(15).filter((move) => move.signal.startsWith('gpu.'));
    const result = await ask(harmless);
    expect(result).toMatchObject({ verdict: 'no-fault', causes: [] });
    expect(question(result, 'gpu')?.findings.some((finding) => finding.entity === gpu(1))).toBe(true);
  });

  test('a hot card of other pods on the same node is not blamed for a slow replica', async () => {
    const at = NOW - 15 * MINUTE;
    const elsewhere = hotCard(15, 7).filter((move) => move.signal.startsWith('gpu.'));
    const result = await ask([...elsewhere, { signal: 'inference.itl', entity: pod(2), to: 0.11, at }]);
    expect(result.causes.map((cause) => cause.entity)).not.toContain(gpu(7));
  });

  test('idle cards with full memory', async () => {
    const idle = Array.from(
      { length: 8 },
      (_, i): Move => ({ signal: 'gpu.utilization', entity: gpu(i), to: 0.03, at: 0 }),
    );
    expect(await ask(idle)).toMatchObject({ verdict: 'no-fault', causes: [] });
  });

  test('a planned rollout whose dip is over', async () => {
    const moves = [0, 1, 2].map(
      (i): Move => ({
        signal: 'inference.ttft',
        entity: pod(i),
        to: 1.1,
        at: NOW - 20 * MINUTE,
        until: NOW - 14 * MINUTE,
      }),
    );
    const result = await ask(moves, {
      changes: [change('rollout', NOW - 21 * MINUTE, LLAMA, 'image vllm:0.10 → vllm:0.11')],
    });
    expect(result.causes).toEqual([]);
    expect(['benign', 'no-fault']).toContain(result.verdict);
  });

  test('an improvement is no symptom', async () => {
    const moves = [0, 1, 2].map(
      (i): Move => ({ signal: 'inference.itl', entity: pod(i), to: 0.012, at: NOW - 15 * MINUTE }),
    );
    expect(await ask(moves)).toMatchObject({ verdict: 'no-fault', causes: [] });
  });

  test('cannot tell without latency, and says what is missing', async () => {
    const result = await ask([], {}, { absent: /^(inference|service|workload)\./ });
    expect(result.verdict).toBe('cannot-tell');
    expect(result.unseen.map((entry) => entry.signal)).toContain('inference.itl');
    expect(result.next.length).toBeGreaterThan(0);
  });

  test('cannot tell from ready replicas alone', async () => {
    expect(await ask([], {}, { absent: /^(inference|service)\./ })).toMatchObject({
      verdict: 'cannot-tell',
      causes: [],
    });
  });

  test('what a scope may not see does not exist', async () => {
    const scope: Scope = { kind: 'limited', clusters: [{ name: 'prod-us' }] };
    expect(await ask(hotCard(15), { scope })).toMatchObject({ verdict: 'cannot-tell', causes: [], evidence: [] });
  });

  test('an unknown subject', async () => {
    expect(await ask([], { subject: 'workload:prod-eu/inference/nobody' })).toMatchObject({
      verdict: 'cannot-tell',
      causes: [],
    });
  });
});

describe('other mechanisms', () => {
  const at = NOW - 15 * MINUTE;
  const all = [0, 1, 2];

  test('a power limit lowered on a node', async () => {
    const moves = [0, 1, 2, 3].flatMap((i): Move[] => [
      { signal: 'gpu.power.limit', entity: gpu(i), to: 450, at },
      { signal: 'gpu.power', entity: gpu(i), to: 449, at },
      { signal: 'gpu.sm_clock', entity: gpu(i), to: 1400, at },
      { signal: 'gpu.throttle.power', entity: gpu(i), to: 0.95, at },
      { signal: 'gpu.temperature', entity: gpu(i), to: 58, at },
    ]);
    const slow = [0, 1].map((i): Move => ({ signal: 'inference.itl', entity: pod(i), to: 0.05, at }));
    const result = await ask([...moves, ...slow]);
    expect(result.causes).toMatchObject([{ entity: node(1), mechanism: 'gpu-power-cap' }]);
    expect(question(result, 'scope')?.summary).toMatch(/all with node gpu-1/);
  });

  test('a container killed at its memory limit', async () => {
    const moves: Move[] = [
      { signal: 'container.memory.working_set', entity: pod(1), to: 63.5e9, at: at - 2 * MINUTE },
      { signal: 'container.restarts', entity: pod(1), to: 1, at },
      { signal: 'container.oom', entity: pod(1), to: 1, at },
      { signal: 'container.ready', entity: pod(1), to: 0, at },
      { signal: 'workload.ready', entity: LLAMA, to: 2, at },
      ...[0, 2].flatMap((i): Move[] => [
        { signal: 'inference.ttft', entity: pod(i), to: 2.4, at },
        { signal: 'inference.waiting', entity: pod(i), to: 9, at },
      ]),
    ];
    const result = await ask(moves, { symptom: 'availability' });
    expect(result.causes).toMatchObject([{ entity: LLAMA, mechanism: 'memory-limit-oom' }]);
  });

  test('a CPU limit that starves the engine', async () => {
    const moves = all.flatMap((i): Move[] => [
      { signal: 'container.cpu.throttled_ratio', entity: pod(i), to: 0.7, at },
      { signal: 'inference.ttft', entity: pod(i), to: 2.6, at },
      { signal: 'gpu.utilization', entity: gpu(2 * i), to: 0.4, at },
      { signal: 'gpu.utilization', entity: gpu(2 * i + 1), to: 0.4, at },
    ]);
    const result = await ask(moves);
    expect(result.causes).toMatchObject([{ entity: LLAMA, mechanism: 'cpu-limit-throttle' }]);
  });

  test('long prompts fill the KV cache', async () => {
    const moves = all.flatMap((i): Move[] => [
      { signal: 'inference.kv_usage', entity: pod(i), to: 0.98, at },
      { signal: 'inference.preemptions', entity: pod(i), to: 0.6, at },
      { signal: 'inference.waiting', entity: pod(i), to: 14, at },
      { signal: 'inference.ttft', entity: pod(i), to: 4, at },
      { signal: 'inference.prompt_length', entity: pod(i), to: 9000, at },
    ]);
    expect((await ask(moves)).causes).toMatchObject([{ entity: LLAMA, mechanism: 'kv-cache-exhausted' }]);
  });

  test('a burst of requests', async () => {
    const moves = all.flatMap((i): Move[] => [
      { signal: 'inference.requests', entity: pod(i), to: 4.5, at },
      { signal: 'inference.waiting', entity: pod(i), to: 25, at },
      { signal: 'inference.ttft', entity: pod(i), to: 6, at },
    ]);
    expect((await ask(moves)).causes).toMatchObject([{ entity: LLAMA, mechanism: 'demand-burst' }]);
  });

  test('a slow vector database, while the engine has less to do', async () => {
    const moves: Move[] = [
      { signal: 'service.duration', entity: service('rag'), to: 9, at },
      { signal: 'service.duration', entity: service('qdrant'), to: 7, at },
      ...all.map((i): Move => ({ signal: 'inference.requests', entity: pod(i), to: 1, at })),
    ];
    const result = await ask(moves, { subject: service('rag') });
    expect(result.causes).toMatchObject([{ entity: QDRANT, mechanism: 'dependency-slow' }]);
    expect(result.ruledOut.some((entry) => entry.mechanism === 'dependency-slow' && entry.entity === LLAMA)).toBe(true);
  });

  test('a GPU that reports a new memory error', async () => {
    const moves: Move[] = [
      { signal: 'gpu.xid', entity: gpu(2), to: 94, at },
      { signal: 'container.restarts', entity: pod(1), to: 2, at },
      { signal: 'inference.errors', entity: pod(1), to: 0.8, at },
    ];
    expect((await ask(moves, { symptom: 'errors' })).causes).toMatchObject([
      { entity: gpu(2), mechanism: 'gpu-memory-fault' },
    ]);
  });

  test('an old XID code is no news', async () => {
    const moves: Move[] = [
      { signal: 'gpu.xid', entity: gpu(2), to: 94, at: 0 },
      { signal: 'inference.itl', entity: pod(1), to: 0.09, at },
    ];
    expect((await ask(moves)).causes.map((cause) => cause.mechanism)).toEqual(['replica-degraded']);
  });

  test('one slow replica with nothing wrong beneath', async () => {
    const result = await ask([{ signal: 'inference.itl', entity: pod(2), to: 0.09, at }]);
    expect(result.causes).toMatchObject([{ entity: pod(2), mechanism: 'replica-degraded' }]);
    expect(result.confidence).toBeLessThan(0.7);
  });
});

test('about sixty queries for a model service', async () => {
  const estate = smallEstate(NOW);
  const evidence = signalsInMemory({ estate, moves: hotCard(15) });
  const request = { subject: LLAMA, window: { from: NOW - 30 * MINUTE, to: NOW } };
  await investigate({ id: 'inv_test', request, scope: everything, estate, changes: [], evidence, now: NOW });
  expect(evidence.asked.length).toBeLessThanOrEqual(65);
});

function change(kind: Change['kind'], atMs: number, entity: string, summary: string): Change {
  return { id: `c${atMs}`, atMs, entity, kind, before: '', after: '', summary, group: `g${atMs}` };
}
