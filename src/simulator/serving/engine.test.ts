import { expect, test } from 'vitest';
import { randomStream } from '../core/random.ts';
import { createTimeline, type Timeline } from '../core/timeline.ts';
import { Gpu } from '../hardware/gpu.ts';
import { Engine, type ModelCall } from './engine.ts';
import { llama70b, type ModelProfile } from './model-profile.ts';

function createEngine(change: Partial<ModelProfile> = {}): { timeline: Timeline; engine: Engine } {
  const timeline = createTimeline(0);
  const gpus = [0, 1].map((index) => new Gpu({ uuid: `GPU-${index}`, index, pciBusId: '', inletC: 27 }));
  return { timeline, engine: new Engine({ timeline, model: { ...llama70b, ...change }, gpus }) };
}

function call(
  timeline: Timeline,
  engine: Engine,
  size: { prompt: number; output: number },
  conversation = 'a',
): ModelCall {
  const made: ModelCall = {
    id: 'x',
    conversation,
    promptTokens: size.prompt,
    outputTokens: size.output,
    maxTokens: 1000,
    finishReason: 'stop',
    arrivedAt: timeline.now,
    queuedAt: 0,
    scheduledAt: 0,
    firstTokenAt: 0,
    finishedAt: 0,
    cachedTokens: 0,
    onFinish: () => {},
  };
  engine.submit(made);
  return made;
}

/** Enough blocks for `tokens` of context and hardly more. */
function utilizationFor(tokens: number): number {
  const bytes = (tokens * llama70b.kvBytesPerToken) / 2 + llama70b.parameters / 2 + 3.5e9;
  return bytes / (81_559 * 2 ** 20);
}

test('every call gets exactly its tokens, and nothing is held afterwards', () => {
  const { timeline, engine } = createEngine();
  const random = randomStream(1, 'calls');
  const calls: ModelCall[] = [];
  for (let i = 0; i < 300; i++) {
    timeline.runTo(timeline.now + random.exponential(150));
    calls.push(call(timeline, engine, { prompt: 1 + random.below(4000), output: 1 + random.below(400) }, String(i)));
  }
  timeline.runTo(timeline.now + 3_600_000);
  const { metrics } = engine;
  expect(metrics.generationTokens).toBe(calls.reduce((sum, c) => sum + c.outputTokens, 0));
  expect(metrics.promptTokens).toBe(calls.reduce((sum, c) => sum + c.promptTokens, 0));
  expect(metrics.e2e.count).toBe(300);
  expect(metrics.finished.stop).toBe(300);
  // A gap for every token but the first of each call.
  expect(metrics.itl.count).toBe(metrics.generationTokens - 300);
  expect([engine.running, engine.queued, engine.kvUsage]).toEqual([0, 0, 0]);
  for (const c of calls) {
    expect(c.queuedAt).toBeLessThanOrEqual(c.scheduledAt);
    expect(c.scheduledAt).toBeLessThan(c.firstTokenAt);
    expect(c.firstTokenAt).toBeLessThanOrEqual(c.finishedAt);
  }
});

test('with too few KV blocks calls are preempted, computed again, and still get exactly their tokens', () => {
  const { timeline, engine } = createEngine({ gpuMemoryUtilization: utilizationFor(6000) });
  const calls = Array.from({ length: 12 }, (_, i) => call(timeline, engine, { prompt: 900, output: 700 }, String(i)));
  timeline.runTo(3_600_000);
  expect(engine.metrics.preemptions).toBeGreaterThan(0);
  expect(engine.metrics.generationTokens).toBe(12 * 700);
  expect(engine.metrics.promptTokens).toBe(12 * 900);
  expect(calls.every((c) => c.finishedAt > 0)).toBe(true);
  expect([engine.running, engine.queued, engine.kvUsage]).toEqual([0, 0, 0]);
});

test('no more than max_num_seqs run; the others wait and their queue time is counted', () => {
  const { timeline, engine } = createEngine({ maxNumSeqs: 4 });
  for (let i = 0; i < 10; i++) call(timeline, engine, { prompt: 100, output: 200 }, String(i));
  timeline.runTo(1000);
  expect([engine.running, engine.queued]).toEqual([4, 6]);
  timeline.runTo(60_000);
  expect(engine.metrics.queueTime.sum).toBeGreaterThan(1);
});

test('a prefix that was computed before is not computed again', () => {
  const { timeline, engine } = createEngine();
  const first = call(timeline, engine, { prompt: 2000, output: 50 }, 'chat');
  timeline.runTo(60_000);
  const second = call(timeline, engine, { prompt: 2200, output: 50 }, 'chat');
  timeline.runTo(120_000);
  expect(first.cachedTokens).toBe(0);
  expect(second.cachedTokens).toBe(2048);
  expect(second.firstTokenAt - second.scheduledAt).toBeLessThan((first.firstTokenAt - first.scheduledAt) / 2);
});

test('the slowest rank sets the pace of all', () => {
  const pace = (clocks: [number, number]) => {
    const { timeline, engine } = createEngine();
    for (const [i, gpu] of engine.gpus.entries()) gpu.smClockMHz = clocks[i] ?? 0;
    call(timeline, engine, { prompt: 100, output: 200 });
    timeline.runTo(60_000);
    return engine.metrics.itl.sum / engine.metrics.itl.count;
  };
  expect(pace([1980, 990])).toBe(pace([990, 990]));
  expect(pace([1980, 990])).toBeGreaterThan(1.3 * pace([1980, 1980]));
});
