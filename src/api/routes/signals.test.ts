import { describe, expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { createSnapshot, type Entity, SIGNALS } from '../../model/index.ts';
import type { EvidenceRequest } from '../../understand/diagnosis/index.ts';
import { coverageResponse, signalResponse, signalsResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { signalRoutes } from './signals.ts';

const NOW = Date.parse('2026-12-01T12:00:07Z');
const LLAMA = 'workload:prod-eu/inference/llama';
const llama: Entity = {
  ref: LLAMA, kind: 'workload', cluster: 'prod-eu', namespace: 'inference', name: 'llama', uid: 'u', health: { status: 'ok', reasons: [] },
  labels: {}, facts: { engine: 'vllm' },
}; // biome-ignore format: one record

async function ask(url: string) {
  const asked: EvidenceRequest[] = [];
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1e6, allowedHosts: [] });
  await app.register(
    signalRoutes({
      estateAt: async (ms, scope) => createSnapshot(ms, [llama], [], scope),
      evidence: () => ({
        spent: () => ({ queries: asked.length, seconds: 0 }),
        async fetch(request) {
          asked.push(request);
          const dark = request.signal.startsWith('gpu.');
          const missing = [{ signal: request.signal, entity: LLAMA, why: 'not there', fix: 'Switch it on.' }];
          const values = Float64Array.from(
            { length: Math.floor((request.to - request.from) / request.step) + 1 },
            (_, i) => (i === 0 ? Number.NaN : i),
          );
          return {
            unit: 's',
            series: dark ? [] : [{ entity: LLAMA, labels: {}, values }],
            queries: [{ system: 'vllm', language: 'promql', text: `q(${request.signal})` }],
            missing: dark ? missing : [],
          };
        },
      }),
      clock: manualClock(NOW),
    }),
  );
  const answer = await app.inject({ url, headers: { host: 'localhost' } });
  return { status: answer.statusCode, body: answer.json(), asked };
}

test('the catalogue lists every signal with its sources', async () => {
  const { body } = await ask('/api/signals');
  const items = signalsResponse.parse(body);
  expect(items.map((item) => item.name)).toEqual(SIGNALS.map((signal) => signal.name));
  expect(items.find((item) => item.name === 'inference.ttft')).toMatchObject({
    unit: 's',
    aggregate: 'quantile',
    sources: ['vllm'],
  });
  expect(items.find((item) => item.name === 'inference.load_time')?.sources).toEqual([]);
});

describe('one signal of one entity', () => {
  test('as points with holes, with the queries that gave them', async () => {
    const { body, asked } = await ask(
      `/api/signals/inference.ttft?entity=${encodeURIComponent(LLAMA)}&from=now-2m&to=now&step=30&stat=p99&by=pod`,
    );
    expect(asked).toMatchObject([{ signal: 'inference.ttft', of: [LLAMA], by: 'pod', stat: 'p99', step: 30_000 }]);
    const answer = signalResponse.parse(body);
    const start = Date.parse('2026-12-01T11:58:30Z') / 1000;
    expect(answer.series).toEqual([
      {
        entity: LLAMA,
        labels: {},
        points: [
          [start, null],
          [start + 30, 1],
          [start + 60, 2],
          [start + 90, 3],
        ],
      },
    ]);
    expect(answer.sources).toEqual([{ system: 'vllm', language: 'promql', query: 'q(inference.ttft)' }]);
  });

  test.each([
    ['an unknown signal', `/api/signals/inference.speed?entity=${LLAMA}`, 404],
    ['an unknown entity', '/api/signals/inference.ttft?entity=pod:prod-eu/inference/nobody', 404],
    ['no entity', '/api/signals/inference.ttft', 400],
    ['a bad time', `/api/signals/inference.ttft?entity=${LLAMA}&from=soon`, 400],
    ['too many points', `/api/signals/inference.ttft?entity=${LLAMA}&from=now-7d&step=1`, 400],
    ['an unknown statistic', `/api/signals/inference.ttft?entity=${LLAMA}&stat=p42`, 400],
  ])('%s is refused', async (_, url, status) => {
    expect((await ask(url)).status).toBe(status);
  });
});

test('coverage tells what is there, from where, and how to get the rest', async () => {
  const { body } = await ask(`/api/entities/${encodeURIComponent(LLAMA)}/coverage`);
  const { items } = coverageResponse.parse(body);
  expect(items.find((item) => item.signal === 'inference.ttft')).toEqual({
    signal: 'inference.ttft',
    present: true,
    source: 'vllm',
  });
  expect(items.find((item) => item.signal === 'gpu.sm_clock')).toEqual({
    signal: 'gpu.sm_clock',
    present: false,
    fix: 'Switch it on.',
  });
  expect(items.some((item) => item.signal.startsWith('node.'))).toBe(false);
});
