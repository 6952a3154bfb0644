import { expect, test } from 'vitest';
import type { Histogram } from './core/histogram.ts';
import { createEstate, defaultEstate, type Estate, renderPage } from './index.ts';
import type { Replica } from './serving/router.ts';

const START = Date.parse('2026-03-04T09:00:00Z');
const MINUTE = 60_000;
const ONE_CLUSTER = defaultEstate().slice(0, 1);

function replicasOf(estate: Estate, cluster: string): Replica[] {
  return [...(estate.clusters.find((c) => c.plan.name === cluster)?.replicas.values() ?? [])].flat();
}

/** Mean inter-token latency and rate of each replica between now and `untilMs`. */
function observe(estate: Estate, untilMs: number): Map<Replica, { itl: number; running: number }> {
  const replicas = estate.clusters.flatMap((cluster) => replicasOf(estate, cluster.plan.name));
  const before = replicas.map(({ engine }) => ({ sum: engine.metrics.itl.sum, count: engine.metrics.itl.count }));
  const running = replicas.map(() => 0);
  let looks = 0;
  while (estate.now < untilMs) {
    estate.runTo(estate.now + 1000);
    looks++;
    for (const [i, { engine }] of replicas.entries()) running[i] = (running[i] ?? 0) + engine.running;
  }
  return new Map(
    replicas.map((replica, i) => {
      const { sum, count } = replica.engine.metrics.itl;
      const then = before[i] ?? { sum: 0, count: 0 };
      return [replica, { itl: (sum - then.sum) / (count - then.count), running: (running[i] ?? 0) / looks }];
    }),
  );
}

test('requests are conserved, and tokens agree in counters, spans and log lines', () => {
  const estate = createEstate({ seed: 11, startMs: START });
  estate.runTo(START + 10 * MINUTE);
  const lines = estate.signals.takeLines();
  for (const cluster of estate.clusters) {
    const { counts } = cluster.frontDoor;
    const engines = replicasOf(estate, cluster.plan.name).map(({ engine }) => engine);
    const answers = () =>
      lines
        .filter((l) => l.source.workload === 'gateway' && l.source.cluster === cluster.plan.name)
        .map((l) => JSON.parse(l.line));
    const withModel = () => answers().filter((said) => said.upstream !== undefined);
    const finished = () => engines.reduce((sum, { metrics }) => sum + metrics.e2e.count, 0);
    // Step until no finished call is on its way from an engine to the gateway's log: milliseconds.
    for (let ms = 0; ms < 2000 && withModel().length !== finished(); ms += 5) {
      estate.runTo(estate.now + 5);
      lines.push(...estate.signals.takeLines());
    }
    expect(withModel().length).toBe(finished());
    expect(answers().length).toBe(counts.completed + counts.failed);
    expect(counts.arrived).toBe(counts.completed + counts.failed + counts.inFlight);
    expect(counts.completed).toBeGreaterThan(3000);
    // Nobody is in flight without being somewhere: in an engine, or for milliseconds between services.
    const inEngines = engines.reduce((sum, engine) => sum + engine.outstanding, 0);
    expect(counts.inFlight).toBeGreaterThanOrEqual(inEngines);
    expect(counts.inFlight - inEngines).toBeLessThan(10);
    expect(engines.reduce((sum, { metrics }) => sum + metrics.requestGenerationTokens.sum, 0)).toBe(
      withModel().reduce((sum, said) => sum + said.completion_tokens, 0),
    );
    expect(engines.reduce((sum, { metrics }) => sum + metrics.requestPromptTokens.sum, 0)).toBe(
      withModel().reduce((sum, said) => sum + said.prompt_tokens, 0),
    );
  }
  const spans = estate.signals.takeSpans();
  const byTrace = new Map(spans.filter((s) => s.name === 'llm_request').map((s) => [s.traceId, s]));
  let compared = 0;
  for (const line of lines.filter((l) => l.source.workload === 'gateway')) {
    const said = JSON.parse(line.line);
    const span = byTrace.get(said.trace_id);
    if (!span) continue;
    compared++;
    expect(span.attributes['gen_ai.usage.completion_tokens']).toBe(said.completion_tokens);
    expect(span.source.pod).toBe(said.upstream);
  }
  expect(compared).toBeGreaterThan(500);
});

test('a trace is one tree: children lie within their parents and name them', () => {
  const estate = createEstate({ seed: 5, startMs: START, plan: ONE_CLUSTER });
  estate.runTo(START + 5 * MINUTE);
  const spans = estate.signals.takeSpans();
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  const roots = spans.filter((span) => span.parentSpanId === '');
  const complete = new Set(roots.map((span) => span.traceId));
  const misfits: object[] = [];
  for (const span of spans) {
    if (span.parentSpanId === '' || !complete.has(span.traceId)) continue; // the others are still open at the end
    const parent = byId.get(span.parentSpanId);
    const fits = parent?.traceId === span.traceId && parent.startMs <= span.startMs && parent.endMs >= span.endMs;
    if (!fits) misfits.push(span);
  }
  expect(misfits).toEqual([]);
  const rag = roots.find((span) => span.name === 'POST /v1/rag/query');
  const services = new Set(spans.filter((s) => s.traceId === rag?.traceId).map((s) => s.source.workload));
  expect([...services].sort()).toEqual(expect.arrayContaining(['embedding', 'gateway', 'qdrant', 'rag-api']));
});

test("Little's law holds at every replica", () => {
  const estate = createEstate({ seed: 3, startMs: START, plan: ONE_CLUSTER });
  estate.runTo(START + 5 * MINUTE);
  const replicas = estate.clusters.flatMap((cluster) => replicasOf(estate, cluster.plan.name));
  const before = replicas.map(({ engine }) => ({ count: engine.metrics.e2e.count, sum: engine.metrics.e2e.sum }));
  const outstanding = replicas.map(() => 0);
  const looks = 30 * 60;
  for (let i = 0; i < looks; i++) {
    estate.runTo(estate.now + 1000);
    for (const [r, { engine }] of replicas.entries()) outstanding[r] = (outstanding[r] ?? 0) + engine.outstanding;
  }
  for (const [r, { engine }] of replicas.entries()) {
    const then = before[r] ?? { count: 0, sum: 0 };
    // Arrival rate times mean time is the sum of times per second.
    const expected = (engine.metrics.e2e.sum - then.sum) / looks;
    expect((outstanding[r] ?? 0) / looks / expected).toBeGreaterThan(0.95);
    expect((outstanding[r] ?? 0) / looks / expected).toBeLessThan(1.05);
  }
});

test('one seed gives one history, another seed another', () => {
  const pages = (seed: number) => {
    const estate = createEstate({ seed, startMs: START });
    // Looking on the way must change nothing.
    if (seed === 1) for (let ms = 0; ms < 2 * MINUTE; ms += 777) estate.runTo(START + ms);
    estate.runTo(START + 2 * MINUTE);
    return [...estate.targets.map((target) => renderPage(target.page)), JSON.stringify(estate.signals.takeSpans())];
  };
  expect(pages(1)).toEqual(pages(1));
  const straight = createEstate({ seed: 1, startMs: START });
  straight.runTo(START + 2 * MINUTE);
  expect(straight.targets.map((target) => renderPage(target.page))).toEqual(pages(1).slice(0, -1));
  expect(pages(2)).not.toEqual(pages(1));
});

test('healthy saturation: GPUs are busy nearly all the time at peak clocks, and users do not wait', () => {
  const estate = createEstate({ seed: 9, startMs: START });
  estate.runTo(START + 10 * MINUTE);
  for (const cluster of estate.clusters) {
    for (const gpu of cluster.machines.flatMap((machine) => machine.gpus)) {
      expect(gpu.utilization).toBeGreaterThan(0.94);
      expect(gpu.smClockMHz).toBe(1980);
      expect(gpu.temperatureC).toBeLessThan(70);
      expect(gpu.thermalViolationNs).toBe(0);
    }
    for (const { engine } of replicasOf(estate, cluster.plan.name)) {
      const { ttft, itl } = engine.metrics;
      expect(ttft.sum / ttft.count).toBeLessThan(0.5);
      expect(itl.sum / itl.count).toBeLessThan(0.035);
      expect(engine.metrics.preemptions).toBe(0);
    }
  }
});

test('a card that loses its cooling heats up, slows its own replica and nothing else, and recovers', () => {
  const estate = createEstate({ seed: 21, startMs: START, plan: ONE_CLUSTER });
  estate.runTo(START + 5 * MINUTE);
  const healthy = observe(estate, START + 20 * MINUTE);
  const truth = estate.startFault({ fault: 'gpu-thermal-throttle' });
  expect(truth.sinceMs).toBe(START + 20 * MINUTE);
  estate.runTo(START + 25 * MINUTE);
  const ill = observe(estate, START + 45 * MINUTE);

  const gpus = estate.clusters.flatMap((c) => c.machines.flatMap((machine) => machine.gpus));
  const hot = gpus.filter((gpu) => truth.entity.endsWith(gpu.plan.uuid));
  expect(hot.length).toBe(1);
  for (const gpu of hot) {
    expect(gpu.temperatureC).toBeGreaterThan(83);
    expect(gpu.temperatureC).toBeLessThan(90);
    expect(gpu.smClockMHz).toBeLessThan(1300);
    expect(gpu.reasons & 0x20).toBe(0x20);
    expect(gpu.utilization).toBeGreaterThan(0.95);
    expect(gpu.eventsInWindow('sw_thermal')).toBe(300);
  }
  for (const gpu of gpus.filter((other) => !hot.includes(other))) {
    expect(gpu.smClockMHz).toBe(1980);
    expect(gpu.temperatureC).toBeLessThan(72);
  }
  for (const [replica, after] of ill) {
    const before = healthy.get(replica) ?? { itl: 0, running: 0 };
    if (truth.pod.endsWith(`/${replica.pod.source.pod}`) && replica.pod.source.cluster === 'prod-eu') {
      expect(after.itl / before.itl).toBeGreaterThan(1.4);
      expect(after.running / before.running).toBeGreaterThan(1.2);
    } else {
      expect(after.itl / before.itl).toBeLessThan(1.25);
    }
  }

  estate.stopFault({ fault: 'gpu-thermal-throttle' });
  expect(estate.truths).toEqual([]);
  estate.runTo(START + 52 * MINUTE);
  for (const gpu of hot) {
    expect(gpu.smClockMHz).toBe(1980);
    expect(gpu.temperatureC).toBeLessThan(65);
    expect(gpu.reasons & 0x20).toBe(0);
  }
});

/** What a histogram of all replicas together has counted, bucket by bucket. */
function cumulated(
  replicas: readonly Replica[],
  name: 'ttft' | 'itl',
): { bounds: readonly number[]; counts: number[] } {
  const histograms = replicas.map(({ engine }): Histogram => engine.metrics[name]);
  const bounds = histograms[0]?.bounds ?? [];
  const counts = Array.from({ length: bounds.length + 1 }, (_, i) =>
    histograms.reduce((sum, histogram) => sum + histogram.cumulative(i), 0),
  );
  return { bounds, counts };
}

/** `histogram_quantile` of what was observed while `during` ran. */
function p95(replicas: readonly Replica[], name: 'ttft' | 'itl', during: () => void): number {
  const before = cumulated(replicas, name);
  during();
  const after = cumulated(replicas, name);
  const counts = after.counts.map((count, i) => count - (before.counts[i] ?? 0));
  const rank = 0.95 * (counts[counts.length - 1] ?? 0);
  const i = counts.findIndex((count) => count >= rank);
  const [low, below] = i === 0 ? [0, 0] : [after.bounds[i - 1] ?? 0, counts[i - 1] ?? 0];
  return low + (((after.bounds[i] ?? Number.POSITIVE_INFINITY) - low) * (rank - below)) / ((counts[i] ?? 0) - below);
}

test.each([1, 2, 3])(
  'users feel the fault: seconds to the first token with it, half of one without it (seed %i)',
  (seed) => {
    const estate = createEstate({ seed, startMs: START, plan: ONE_CLUSTER });
    estate.runTo(START + 5 * MINUTE);
    const [llama = [], qwen = []] = estate.clusters[0]?.replicas.values() ?? [];
    const waiting = () => llama.reduce((sum, { engine }) => sum + engine.queued, 0);
    const during = (minutes: number) => () => estate.runTo(estate.now + minutes * MINUTE);
    for (let i = 0; i < 2; i++) {
      expect(p95(llama, 'ttft', during(5))).toBeLessThan(1);
      for (const replicas of [llama, qwen]) {
        const itl = p95(replicas, 'itl', during(1));
        expect(itl).toBeGreaterThan(0.02);
        expect(itl).toBeLessThan(0.045);
      }
    }
    const then = { ...estate.clusters[0]?.frontDoor.counts };
    estate.startFault({ fault: 'gpu-thermal-throttle' });
    estate.runTo(estate.now + 5 * MINUTE);
    // The queue neither drains nor runs away.
    for (let i = 0; i < 6; i++) {
      const ttft = p95(llama, 'ttft', during(5));
      expect(ttft).toBeGreaterThan(3);
      expect(ttft).toBeLessThan(8);
      expect(waiting()).toBeLessThan(40);
      expect(p95(qwen, 'ttft', during(1))).toBeLessThan(1);
    }
    const now = estate.clusters[0]?.frontDoor.counts;
    const arrived = (now?.arrived ?? 0) - (then.arrived ?? 0);
    expect(((now?.failed ?? 0) - (then.failed ?? 0)) / arrived).toBeLessThan(0.01);
  },
);

test('a fault on a target that does not exist is refused with the targets there are', () => {
  const estate = createEstate({ seed: 1, startMs: START });
  expect(() => estate.startFault({ fault: 'gpu-thermal-throttle', cluster: 'prod-ap' })).toThrow(/prod-eu, prod-us/);
  expect(() => estate.startFault({ fault: 'gpu-thermal-throttle', gpu: 'GPU-0' })).toThrow(/GPU-/);
});
