import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManualClock, manualClock, silentLogger } from '../../base/index.ts';
import { everything, type Investigation, type InvestigationRequest, type Scope } from '../../model/index.ts';
import { openRecords } from '../../store/index.ts';
import { type InvestigationBody, investigation } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { investigationRoutes } from './investigations.ts';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const SUBJECT = 'workload:prod-eu/inference/llama';
let folder: string;
let records: Awaited<ReturnType<typeof openRecords<InvestigationBody>>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-investigations-'));
  records = await openRecords<InvestigationBody>({ folder });
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

async function server(
  run: (id: string, request: InvestigationRequest, scope: Scope, signal: AbortSignal) => Promise<Investigation>,
  clock: ManualClock = manualClock(NOW),
  scope: Scope = everything,
) {
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1e6, allowedHosts: [] });
  app.addHook('onRequest', async (request) => {
    request.scope = scope;
  });
  await app.register(investigationRoutes({ run, records: records.investigations, clock }));
  const post = (body: unknown, type = 'application/json') =>
    app.inject({
      method: 'POST',
      url: '/api/investigations',
      headers: { 'content-type': type, host: 'localhost' },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get = (url: string) => app.inject({ url, headers: { host: 'localhost' } });
  return { post, get, clock, close: () => app.close() };
}

describe('asking', () => {
  test('gives the whole result, which can be had again and is listed', async () => {
    const asked: InvestigationRequest[] = [];
    const { post, get } = await server(async (id, request) => {
      asked.push(request);
      return found(id, request);
    });
    const answer = await post({
      subject: SUBJECT,
      symptom: 'latency',
      from: 'now-30m',
      to: 'now',
      baseline: { from: '2026-12-01T10:00:00Z', to: '2026-12-01T11:00:00Z' },
    });
    expect(answer.statusCode).toBe(201);
    expect(asked).toEqual([
      {
        subject: SUBJECT,
        symptom: 'latency',
        window: { from: NOW - 30 * 60_000, to: NOW },
        baseline: { from: NOW - 7_200_000, to: NOW - 3_600_000 },
      },
    ]);
    const body = investigation.parse(answer.json());
    expect(body).toMatchObject({
      state: 'done',
      verdict: 'cause-found',
      onset: { at: '2026-12-01T11:45:00.000Z' },
      causes: [{ mechanism: 'gpu-thermal-throttle', since: '2026-12-01T11:44:00.000Z' }],
      questions: [{ id: 'gpu', text: expect.stringMatching(/^Is the GPU/), status: 'problem' }],
      evidence: [{ before: 1980, during: null }],
    });
    expect(answer.headers.location).toBe(`/api/investigations/${body.id}`);
    expect((await get(`/api/investigations/${body.id}`)).json()).toEqual(answer.json());
    expect((await get('/api/investigations')).json()).toMatchObject({
      items: [{ id: body.id, verdict: 'cause-found', headline: body.headline }],
    });
  });

  test.each<[string, unknown, string]>([
    ['no body', {}, 'subject'],
    ['an unknown key', { subject: SUBJECT, from: 'now-1h', to: 'now', colour: 'red' }, ''],
    ['no reference', { subject: 'llama', from: 'now-1h', to: 'now' }, 'subject'],
    ['no time', { subject: SUBJECT, from: 'yesterday', to: 'now' }, 'from'],
    ['a window that ends before it begins', { subject: SUBJECT, from: 'now', to: 'now-1h' }, 'from'],
    ['a window in the future', { subject: SUBJECT, from: 'now+1h', to: 'now+2h' }, 'from'],
    [
      'a bad baseline',
      { subject: SUBJECT, from: 'now-1h', to: 'now', baseline: { from: 'x', to: 'now' } },
      'baseline.from',
    ],
  ])('%s is refused and the place is named', async (_, body, path) => {
    const { post } = await server(() => Promise.reject(new Error('must not run')));
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({ code: 'bad_request', ...(path ? { path } : {}) });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    '%s, which any page could send, is refused',
    async (type) => {
      const { post } = await server(() => Promise.reject(new Error('must not run')));
      expect((await post('{}', type)).statusCode).toBe(415);
    },
  );

  test('a long one is answered at once with its id and can be waited for', async () => {
    let finish: (result: Investigation) => void = () => {};
    let started: (id: string) => void = () => {};
    const id = new Promise<string>((resolve) => {
      started = resolve;
    });
    const { post, get, clock } = await server((given, request) => {
      started(given);
      return new Promise((resolve) => {
        finish = () => resolve(found(given, request));
      });
    });
    const pending = post({ subject: SUBJECT, from: 'now-1h', to: 'now' });
    const given = await id;
    await clock.advance(10_001);
    const answer = await pending;
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual({ id: given, state: 'running' });
    expect((await get(`/api/investigations/${given}`)).json()).toEqual({ id: given, state: 'running' });
    finish(found(given, { subject: SUBJECT, window: { from: 0, to: 1 } }));
    await expect.poll(async () => (await get(`/api/investigations/${given}`)).json().state).toBe('done');
  });

  test('one that fails says so to who asks later', async () => {
    let given = '';
    const { post, get } = await server((id) => {
      given = id;
      return Promise.reject(new Error('the store is down'));
    });
    expect((await post({ subject: SUBJECT, from: 'now-1h', to: 'now' })).statusCode).toBe(500);
    expect((await get(`/api/investigations/${given}`)).json()).toEqual({
      id: given,
      state: 'failed',
      message: 'the store is down',
    });
  });

  test('four run at once, thirty-two wait, more are turned away; stopping ends them all', async () => {
    const started: string[] = [];
    const finish: (() => void)[] = [];
    const ended: unknown[] = [];
    const { post, get, close } = await server((id, request, _, signal) => {
      started.push(id);
      return new Promise((resolve, reject) => {
        finish.push(() => resolve(found(id, request)));
        signal.addEventListener('abort', () => {
          ended.push(id);
          reject(signal.reason);
        });
      });
    });
    const body = { subject: SUBJECT, from: 'now-1h', to: 'now' };
    const pending = Array.from({ length: 36 }, () => post(body));
    await expect.poll(() => started.length).toBe(4);
    const refused = await post(body);
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'busy']);
    expect(started).toHaveLength(4);
    finish[0]?.();
    await expect.poll(() => started.length).toBe(5);
    expect((await get(`/api/investigations/${started[0]}`)).json().state).toBe('done');
    await close();
    await Promise.all(pending);
    expect(started).toHaveLength(5);
    expect(ended).toEqual(started);
  });

  test('a page of the list is full, and goes on, although a scope hides most of it', async () => {
    const scope: Scope = { kind: 'limited', clusters: [{ name: 'scoped' }] };
    const run = async (id: string, request: InvestigationRequest) => found(id, request);
    const { post } = await server(run, manualClock(NOW + 1));
    for (const cluster of ['scoped', 'other', 'scoped', 'other', 'other', 'scoped'])
      await post({ subject: `workload:${cluster}/inference/llama`, from: 'now-1h', to: 'now' });
    const { get } = await server(run, manualClock(NOW), scope);
    const first = (await get('/api/investigations?limit=2')).json();
    expect(first.items).toHaveLength(2);
    const second = (await get(`/api/investigations?limit=2&cursor=${first.next}`)).json();
    expect(second).toMatchObject({ items: [{ subject: 'workload:scoped/inference/llama' }], next: null });
  });

  test('a number that nobody knows is null, not 0', async () => {
    const { post } = await server(async (id, request) => ({
      ...found(id, request),
      phases: [{ phase: 'decode', before: Number.NaN, during: 2, share: Number.NaN }],
      subsets: [
        { ref: SUBJECT, attribute: 'pod', value: 'a', before: Number.NaN, during: 0.5, lift: Number.POSITIVE_INFINITY },
      ],
    }));
    const body = investigation.parse((await post({ subject: SUBJECT, from: 'now-1h', to: 'now' })).json());
    expect(body.phases).toEqual([{ phase: 'decode', before: null, during: 2, share: null }]);
    expect(body.subsets).toEqual([
      { ref: SUBJECT, attribute: 'pod', value: 'a', before: null, during: 0.5, lift: null },
    ]);
  });

  test('an unknown id', async () => {
    const { get } = await server(() => Promise.reject(new Error('must not run')));
    expect((await get('/api/investigations/inv_nothing')).statusCode).toBe(404);
  });
});

function found(id: string, request: InvestigationRequest): Investigation {
  return {
    id,
    subject: request.subject,
    symptom: request.symptom ?? 'latency',
    window: request.window,
    baseline: request.baseline ?? { from: request.window.from - 3_600_000, to: request.window.from },
    onset: { at: NOW - 15 * 60_000, low: NOW - 16 * 60_000, high: NOW - 14 * 60_000 },
    verdict: 'cause-found',
    headline: 'GPU 1 throttles for heat.',
    confidence: 0.9,
    causes: [
      {
        entity: 'gpu:prod-eu/-/GPU-1',
        mechanism: 'gpu-thermal-throttle',
        layer: 'infrastructure',
        score: 0.93,
        since: NOW - 16 * 60_000,
        summary: 'GPU 1 throttles for heat.',
        chain: ['gpu:prod-eu/-/GPU-1', SUBJECT],
        evidence: ['e1'],
      },
    ],
    questions: [{ id: 'gpu', status: 'problem', summary: 'Yes.', findings: [] }],
    phases: [{ phase: 'decode', before: 5, during: 20, share: 0.97 }],
    subsets: [],
    evidence: [
      {
        id: 'e1',
        signal: 'gpu.sm_clock',
        entity: 'gpu:prod-eu/-/GPU-1',
        query: { language: 'promql', text: 'x', from: NOW - 3_600_000, to: NOW, step: 30 },
        before: 1980,
        during: undefined,
        unit: 'MHz',
        role: 'supports',
      },
    ],
    ruledOut: [],
    unseen: [],
    trust: [],
    next: [{ text: 'Cool it.' }],
    cost: { queries: 60, seconds: 1 },
    tookMs: 12,
  };
}
