import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EntitiesResponse, type InvestigationBody, investigation } from '../../src/api/contract/index.ts';
import { waitFor } from '../programs/process.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

/**
 * The demo estate through the real doors: Kubernetes API, scrapes, remote write, OTLP and Loki push of a simulator in its
 * own process; the answer is compared with the simulator's ground truth.
 */
const SUBJECT = 'workload:prod-eu/inference/llama-3-70b';

async function startDemo(fault: string): Promise<RunningTrifocal> {
  const server = await startTrifocal({ program: 'source', args: ['--demo', '--fault', fault] });
  await waitFor(
    'the replayed history',
    async () => (/history was replayed/.test(server.output()) ? true : undefined),
    120,
  );
  // Acknowledged is on disk; a second or so later it can be asked for.
  await waitFor('every card in the store', async () => {
    const [cards] = await promql(`${server.http}/prometheus`, 'count(DCGM_FI_DEV_GPU_TEMP)');
    return cards?.value?.[1] === '16' ? true : undefined;
  });
  return server;
}

async function why(
  server: RunningTrifocal,
  window: { from: string; to: string },
  subject = SUBJECT,
): Promise<InvestigationBody> {
  const response = await fetch(`${server.http}/api/investigations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject, ...window }),
  });
  const text = await response.text();
  expect([201, 202], text).toContain(response.status);
  const { id } = JSON.parse(text) as { id: string }; // both answers name it
  return waitFor('the answer', async () => {
    const kept = investigation.safeParse(await (await fetch(`${server.http}/api/investigations/${id}`)).json());
    return kept.data;
  });
}

interface GroundTruth {
  truth: { causes: { entity: string; mechanism: string }[] };
}

describe('a GPU under one replica throttles for heat', () => {
  let server: RunningTrifocal;
  let guilty = '';
  beforeAll(async () => {
    server = await startDemo('gpu-thermal-throttle');
    const control = /control=(\S+)\)/.exec(server.output())?.[1];
    const { truth } = (await (await fetch(`${control}`)).json()) as GroundTruth; // the simulator's own form
    guilty = truth.causes[0]?.entity ?? '';
  });
  afterAll(() => server.stop());

  test.each([
    { from: 'now-30m', to: 'now' },
    { from: 'now-29m', to: 'now' },
    { from: 'now-10m', to: 'now' },
  ])('it is found in the window from $from', async (window) => {
    const result = await why(server, window);
    expect(guilty).toMatch(/^gpu:prod-eu\//);
    expect(result.verdict).toBe('cause-found');
    expect(result.causes.map(({ entity, mechanism }) => ({ entity, mechanism }))).toEqual([
      { entity: guilty, mechanism: 'gpu-thermal-throttle' },
    ]);
    const cited = new Set(result.evidence.filter(({ role }) => role === 'supports').map(({ signal }) => signal));
    for (const signal of ['gpu.sm_clock', 'gpu.temperature', 'gpu.throttle.thermal']) expect(cited).toContain(signal);
    expect(result.subsets.some(({ ref }) => ref.startsWith('pod:prod-eu/inference/llama-3-70b'))).toBe(true);
  });

  test('every claim can be opened as its query, with the values before and during', async () => {
    const result = await why(server, { from: 'now-30m', to: 'now' });
    const claims = result.evidence.filter(({ query, during }) => query.language === 'promql' && during !== null);
    expect(claims.length).toBeGreaterThan(4);
    for (const { query } of claims) {
      const range = { start: Date.parse(query.from) / 1000, end: Date.parse(query.to) / 1000, step: query.step };
      expect(await promql(`${server.http}/prometheus`, query.text, range), query.text).not.toEqual([]);
    }
  });

  test('other model services are not accused', async () => {
    const result = await why(server, { from: 'now-30m', to: 'now' }, 'workload:prod-us/inference/llama-3-70b');
    expect(result.verdict, result.headline).toBe('no-fault');
    expect(result.causes).toEqual([]);
  });

  test('what was never there cannot be asked about', async () => {
    const response = await fetch(`${server.http}/api/investigations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'pod:prod-eu/inference/no-such-pod', from: 'now-30m', to: 'now' }),
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found', path: 'subject' } });
  });

  test('the estate is walked from the fleet to a card', async () => {
    const { items } = (await (await fetch(`${server.http}/api/entities?kind=gpu`)).json()) as EntitiesResponse; // the contract's shape
    expect(items).toHaveLength(16);
    expect(items.find(({ ref }) => ref === guilty)?.parents[0]).toMatch(/^node:prod-eu\//);
  });
});

describe('all is well', () => {
  let server: RunningTrifocal;
  beforeAll(async () => {
    server = await startDemo('none');
  });
  afterAll(() => server.stop());

  test('busy GPUs are not accused: no fault although they are at 98 %', async () => {
    const busy = await promql(`${server.http}/prometheus`, 'max(DCGM_FI_DEV_GPU_UTIL{cluster="prod-eu"})');
    expect(Number(busy[0]?.value?.[1])).toBeGreaterThan(90);
    const result = await why(server, { from: 'now-30m', to: 'now' });
    expect(result.verdict, result.headline).toBe('no-fault');
    expect(result.causes).toEqual([]);
  });
});
