import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { changesResponse } from '../api/contract/index.ts';
import { changeRoutes, createHttpServer, entityRoutes, logRoutes, telemetryRoutes, traceRoutes } from '../api/index.ts';
import { type ManualClock, manualClock, newId, silentLogger } from '../base/index.ts';
import {
  everything,
  type LogRecord,
  labelSetFrom,
  nowhere,
  type ObjectVersion,
  type Scope,
  type SignalBatch,
  type Span,
} from '../model/index.ts';
import {
  createLogReader,
  createObjectReader,
  createPromqlEngine,
  createTraceReader,
  openEmbeddedSource,
} from '../query/index.ts';
import { createBatchEncoder, openStore, type Store } from '../store/index.ts';
import type { EstateReader } from '../understand/estate/index.ts';
import { createEstateReader } from './estate.ts';

const NOW = Date.parse('2026-12-01T12:00:00.000Z');
const minute = 60_000;
const LIMITS = { seconds: 30, memoryBytes: 1024 ** 3 };

let clock: ManualClock;
let folder: string;
let store: Store;
let estate: EstateReader;
let app: FastifyInstance;

beforeAll(async () => {
  clock = manualClock(NOW);
  folder = await mkdtemp(join(tmpdir(), 'trifocal-estate-'));
  const retention = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
  store = await openStore({
    engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 1024 ** 3 },
    retention,
    clock,
    logger: silentLogger,
  });
  await fill();
  const { port } = store;
  const [objects, traces, logs] = [createObjectReader(port), createTraceReader(port), createLogReader(port)];
  const metrics = createPromqlEngine({ source: await openEmbeddedSource({ port }), clock });
  estate = createEstateReader({ objects, metrics, traces, clusters: ['eu', 'dark'], clock, logger: silentLogger });
  app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1e6, allowedHosts: [] });
  for (const routes of [entityRoutes, changeRoutes]) await app.register(routes({ estate, clock }));
  await app.register(logRoutes({ logs, estate, clock }));
  await app.register(traceRoutes({ traces, estate, clock }));
  await app.register(
    telemetryRoutes({
      ingest: {
        activeSeries: async () => 3,
        telemetry: async () => ({
          sources: [source('otlp'), source('kubernetes')],
          dropped: [
            {
              reason: 'too_old',
              signal: 'logs',
              protocol: 'otlp',
              count: 2,
              perSecond: 0,
              sinceMs: NOW,
              lastMs: NOW,
              episodeMs: NOW,
              example: 'x',
            },
          ],
        }),
      },
      store,
      storeSinceMs: () => NOW,
      spool: () => ({ bytes: 0, maxBytes: 9, segments: 0, oldestSeconds: 0, refused: 0, state: 'ok', sinceMs: NOW }),
      loops: { main: noDelay, ingest: noDelay },
      watches: () => [
        {
          cluster: 'eu',
          state: () => [
            { resource: 'nodes', state: 'refused', message: 'may not list nodes', lastSeenMs: null, objects: 0 },
          ],
        },
      ],
      targets: () => [],
      clock,
      logger: silentLogger,
    }),
  );
}, 60_000);

afterAll(async () => {
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function noDelay() {
  return { p50Seconds: 0, p99Seconds: 0, maxSeconds: 0 };
}

function source(kind: string) {
  return {
    cluster: 'eu',
    kind,
    name: '',
    state: 'silent' as const,
    lastSeenMs: NOW,
    sinceMs: NOW,
    lagSeconds: 1,
    gaps: 0,
    perSecond: 2,
    requests: 1,
    items: 1,
    bytes: 1,
    dropped: 0,
    repeated: 0,
    perMinute: [],
    usualPauseSeconds: null,
  };
}

async function insert(batch: SignalBatch): Promise<void> {
  for (const { table, block } of createBatchEncoder(clock).encode(batch).blocks) {
    const token = newId('seg');
    await writeFile(join(folder, token), block);
    await store.port.insertSegment({ table, file: join(folder, token), token }, { limits: LIMITS });
  }
}

function object(
  kind: string,
  namespace: string,
  name: string,
  agoMinutes: number,
  body: object,
  more: Partial<ObjectVersion> = {},
): ObjectVersion {
  const uid = `uid-${kind}-${name}`;
  const validFromMs = NOW - agoMinutes * minute;
  const metadata = {
    name,
    namespace,
    uid,
    creationTimestamp: new Date(validFromMs).toISOString(),
    ...('metadata' in body ? (body.metadata as object) : {}),
  };
  return {
    cluster: 'eu', uid, apiVersion: kind === 'StatefulSet' ? 'apps/v1' : 'v1', kind, namespace, name, resourceVersion: String(1000 - agoMinutes), validFromMs,
    deleted: false, body: JSON.stringify({ ...body, metadata }), ...more,
  }; // biome-ignore format: one object
}

const created = (agoMinutes: number) => new Date(NOW - agoMinutes * minute).toISOString();

function pod(name: string, agoMinutes: number, more: Partial<ObjectVersion> = {}): ObjectVersion {
  const owner = { kind: 'StatefulSet', name: 'llama', uid: 'uid-StatefulSet-llama', controller: true };
  return object(
    'Pod',
    'inference',
    name,
    agoMinutes,
    {
      metadata: { ownerReferences: [owner], labels: { app: 'llama' }, creationTimestamp: created(300) },
      spec: {
        nodeName: 'gpu-1',
        containers: [
          { name: 'vllm', image: 'vllm/vllm-openai:v0.11.0', resources: { limits: { 'nvidia.com/gpu': '1' } } },
        ],
      },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'vllm', ready: true, restartCount: 0, state: { running: {} } }],
      },
    },
    more,
  );
}

const statefulSet = (agoMinutes: number, replicas: number, image: string) =>
  object('StatefulSet', 'inference', 'llama', agoMinutes, {
    metadata: { creationTimestamp: created(400) },
    spec: { replicas, template: { spec: { containers: [{ name: 'vllm', image }] } } },
    status: { readyReplicas: replicas },
    trifocal: { changedBy: 'kubectl' },
  });

const node = (agoMinutes: number, unschedulable: boolean) =>
  object('Node', '', 'gpu-1', agoMinutes, {
    metadata: { creationTimestamp: created(5000) },
    spec: { unschedulable },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      capacity: { 'nvidia.com/gpu': '4' },
      allocatable: { 'nvidia.com/gpu': '4' },
    },
  });

async function fill(): Promise<void> {
  const event = {
    involvedObject: { kind: 'Pod', namespace: 'inference', name: 'llama-0' },
    type: 'Warning',
    reason: 'Unhealthy',
    message: 'Readiness probe failed',
    count: 3,
    lastTimestamp: created(4),
  };
  await insert({
    objects: [
      statefulSet(400, 1, 'vllm/vllm-openai:v0.10.0'),
      statefulSet(30, 2, 'vllm/vllm-openai:v0.11.0'),
      pod('llama-0', 300),
      pod('llama-1', 29, { body: pod('llama-1', 29).body.replace(created(300), created(29)) }),
      pod('llama-old', 300),
      pod('llama-old', 28, { deleted: true }),
      node(5000, false),
      node(10, true),
      object('Node', '', 'far', 100, { spec: {} }, { cluster: 'us' }),
      object('Event', 'inference', 'e', 5, event),
      object('Event', 'inference', 'e', 4, event, { resourceVersion: '9999' }),
    ],
  });
  const labels = {
    __name__: 'DCGM_FI_DEV_GPU_TEMP',
    cluster: 'eu',
    UUID: 'GPU-a',
    gpu: '0',
    modelName: 'H100',
    Hostname: 'gpu-1',
    pod: 'llama-0',
    namespace: 'inference',
    container: 'vllm',
  };
  const vllm = {
    __name__: 'vllm:num_requests_running',
    cluster: 'eu',
    namespace: 'inference',
    pod: 'llama-0',
    model_name: 'llama-3-70b',
  };
  const all = [labels, { ...labels, __name__: 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS' }, vllm];
  await insert({
    samples: {
      series: all.map((one) => ({ labels: labelSetFrom(one), cluster: 'eu' })),
      seriesOf: Uint32Array.from([0, 0, 1, 1, 2, 2]),
      timesMs: Float64Array.from([20, 1, 20, 1, 20, 1].map((ago) => NOW - ago * minute)),
      values: Float64Array.from([60, 91, 0, 0x20, 1, 1]),
    },
  });
  await insert({
    logs: [line('llama-0', 'CUDA error', 17), line('llama-old', 'goodbye', 9), line('other', 'unrelated', 9)],
    spans: spans(),
  });
}

function line(podName: string, body: string, severity: number): LogRecord {
  return {
    timeNs: BigInt(NOW - 29 * minute) * 1_000_000n, observedNs: 0n, severity, severityText: '', body, resource: new Map([['pod', podName]]), attributes: new Map([['n', 12n]]),
    scope: { name: '', version: '' }, traceId: '', spanId: '', flags: 0, place: { ...nowhere, cluster: 'eu', namespace: 'inference', pod: podName, container: 'vllm' },
  }; // biome-ignore format: one object
}

function spans(): Span[] {
  const base = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    statusMessage: '',
    attributes: new Map(),
    resource: new Map(),
    scope: { name: '', version: '' },
    events: [],
    links: [],
    traceState: '',
    flags: 1,
  };
  const startNs = BigInt(NOW - 2 * minute) * 1_000_000n;
  const place = { ...nowhere, cluster: 'eu', namespace: 'inference' };
  return [
    {
      ...base,
      spanId: '00000000000000a1',
      parentSpanId: '00000000000000ff',
      name: 'chat',
      kind: 'client',
      startNs,
      endNs: startNs + 2_000_000_000n,
      status: 'error',
      place: { ...place, service: 'gateway', pod: 'gw-0' },
    },
    {
      ...base,
      spanId: '00000000000000a2',
      parentSpanId: '00000000000000a1',
      name: 'llm_request',
      kind: 'server',
      startNs: startNs + 1000n,
      endNs: startNs + 1_900_000_000n,
      status: 'ok',
      place: { ...place, service: 'llama-3-70b', pod: 'llama-0' },
    },
  ];
}

const names = async (ms: number, scope: Scope = everything) =>
  (await estate.at(ms, scope)).ofKind('pod').map((entity) => entity.name);

describe('the estate at a time', () => {
  test('now: objects, GPU, served model, services and calls are joined', async () => {
    const now = await estate.at(NOW, everything);
    expect(await names(NOW)).toEqual(['llama-0', 'llama-1']);
    expect(now.get('gpu:eu/-/GPU-a')?.health.reasons).toEqual([
      'clocks are lowered by the driver because it is too hot',
    ]);
    expect(now.from('gpu:eu/-/GPU-a', 'uses').map((entity) => entity.name)).toEqual(['llama-0']);
    expect(now.get('workload:eu/inference/llama')?.facts).toMatchObject({
      engine: 'vllm',
      model: ['llama-3-70b'],
      desired: 2,
    });
    expect(now.to('workload:eu/inference/llama', 'serves').map((entity) => entity.ref)).toEqual([
      'service:eu/-/llama-3-70b',
    ]);
    expect(now.to('service:eu/-/gateway', 'calls').map((entity) => entity.ref)).toEqual(['service:eu/-/llama-3-70b']);
    expect(now.get('node:eu/-/gpu-1')?.health.reasons).toEqual(['cordoned: new pods are not scheduled here']);
    expect(now.get('cluster:dark/-/dark')?.health.status).toBe('unknown');
  });
  test('as it was before', async () => {
    expect(await names(NOW - 60 * minute)).toEqual(['llama-0', 'llama-old']);
    const before = await estate.at(NOW - 20 * minute, everything);
    expect(before.get('gpu:eu/-/GPU-a')?.health.status).toBe('ok');
    expect(before.get('node:eu/-/gpu-1')?.health.status).toBe('ok');
    expect((await estate.at(NOW - 450 * minute, everything)).get('workload:eu/inference/llama')).toBeUndefined();
  });
  test('as far as a scope may see it', async () => {
    expect(await names(NOW, { kind: 'limited', clusters: [{ name: 'us' }] })).toEqual([]);
    const inference = await estate.at(NOW, { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['inference'] }] });
    expect(inference.ofKind('pod')).toHaveLength(2);
    expect([inference.ofKind('node'), inference.ofKind('gpu')]).toEqual([[], []]);
  });
  test('the present is looked at anew after a few seconds', async () => {
    await insert({ objects: [pod('llama-2', -1)] });
    expect(await names(NOW)).toEqual(['llama-0', 'llama-1']);
    await clock.advance(2 * minute);
    expect(await names(clock.now())).toEqual(['llama-0', 'llama-1', 'llama-2']);
  });
});

async function get(
  url: string,
): Promise<{ status: number; body: Record<string, never> & { items: Record<string, unknown>[] } }> {
  const response = await app.inject({ url, headers: { host: 'localhost' } });
  return { status: response.statusCode, body: response.json() };
}

describe('HTTP', () => {
  const hour = `from=${NOW / 1000 - 3600}&to=${NOW / 1000}`;

  test('changes: in words, grouped, newest first, narrowed to what an entity contains and stands on', async () => {
    const list = async (path: string) => changesResponse.parse((await get(path)).body);
    const told = (changes: z.output<typeof changesResponse>) =>
      changes.map(({ kind, entity, summary }) => `${kind} ${entity}: ${summary}`);
    const changes = await list(`/api/changes?${hour}`);
    expect(told(changes)).toEqual([
      'cordon node:eu/-/gpu-1: cordoned: no new pods are scheduled here',
      'deleted pod:eu/inference/llama-old: Pod llama-old was deleted',
      'created pod:eu/inference/llama-1: Pod llama-1 was created',
      'scale workload:eu/inference/llama: replicas 1 → 2',
      'image workload:eu/inference/llama: image of vllm: vllm-openai:v0.10.0 → vllm-openai:v0.11.0',
    ]);
    expect(new Set(changes.map((item) => item.group)).size).toBe(2);
    expect(changes.at(-1)).toMatchObject({ actor: 'kubectl', at: created(30), before: 'vllm/vllm-openai:v0.10.0' });
    const workload = await list(`/api/entities/workload:eu/inference/llama/changes?${hour}`);
    expect(told(workload)).toHaveLength(5);
    expect(told(await list(`/api/changes?${hour}&entity=pod:eu/inference/llama-0`))).toEqual(
      told(changes).filter((line) => /node|workload/.test(line)),
    );
    expect(await list(`/api/changes?${hour}&cluster=us`)).toEqual([]);
  });

  test('events, each once', async () => {
    expect((await get(`/api/events?${hour}`)).body.items).toEqual([
      {
        at: created(4),
        entity: 'pod:eu/inference/llama-0',
        type: 'Warning',
        reason: 'Unhealthy',
        message: 'Readiness probe failed',
        count: 3,
        source: '',
      },
    ]);
  });

  test('entities: filters, search, pages, model aliases', async () => {
    const refs = async (query: string) =>
      (await get(`/api/entities?at=${NOW / 1000}&${query}`)).body.items.map((item) => item.ref);
    expect(await refs('kind=pod')).toEqual(['pod:eu/inference/llama-0', 'pod:eu/inference/llama-1']);
    expect(await refs('kind=node&cluster=us')).toEqual(['node:us/-/far']);
    expect(await refs('q=gpu-a')).toEqual(['gpu:eu/-/GPU-a']);
    expect(await refs('kind=model')).toEqual(['model:eu/inference/llama']);
    const first = await get(`/api/entities?kind=pod&limit=1&at=${NOW / 1000}`);
    const second = await get(`/api/entities?kind=pod&limit=1&at=${NOW / 1000}&cursor=${String(first.body.next)}`);
    expect([first.body.items[0]?.ref, second.body.items[0]?.ref, second.body.next]).toEqual([
      'pod:eu/inference/llama-0',
      'pod:eu/inference/llama-1',
      null,
    ]);
  });

  test('one entity, however its reference is written', async () => {
    const container = 'container:eu/inference/llama-0%2Fvllm';
    for (const path of [container, encodeURIComponent(container)]) {
      expect((await get(`/api/entities/${path}?at=${NOW / 1000}`)).body).toMatchObject({
        ref: container,
        parents: ['pod:eu/inference/llama-0'],
      });
    }
    const gpu = await get(`/api/entities/gpu:eu/-/GPU-a?at=${NOW / 1000}`);
    expect(gpu.body.gpu).toEqual({
      uuid: 'GPU-a', index: '0', node: 'gpu-1', model: 'H100', memoryBytes: null, mig: [], unreadable: [], xid: [],
      allocations: [{ container, share: 1, confidence: 'exact' }],
    }); // biome-ignore format: one object
    const model = await get(`/api/entities/model:eu/inference/llama?at=${NOW / 1000}`);
    expect(model.body).toMatchObject({ ref: 'model:eu/inference/llama', kind: 'model' });
    const { related } = model.body as unknown as { related: { ref: string }[] };
    expect(related.map((entity) => entity.ref)).toEqual(
      expect.arrayContaining(['node:eu/-/gpu-1', 'gpu:eu/-/GPU-a', 'service:eu/-/llama-3-70b']),
    );
  });

  test('logs of a workload hold those of pods that are gone by now', async () => {
    const { body } = await get(`/api/logs?${hour}&entity=workload:eu/inference/llama`);
    const elsewhere = await get(`/api/logs?${hour}&entity=workload:eu/inference/llama&cluster=us`);
    expect(elsewhere.body.items).toEqual([]);
    expect(body.items.map((item) => item.body).sort()).toEqual(['CUDA error', 'goodbye']);
    const one = await get(`/api/logs?${hour}&severity=error&q=cuda`);
    expect(one.body.items).toEqual([
      {
        at: created(29),
        timeNs: String(BigInt(NOW - 29 * minute) * 1_000_000n),
        severity: 'error',
        body: 'CUDA error',
        entity: 'pod:eu/inference/llama-0',
        container: 'vllm',
        traceId: '',
        spanId: '',
        scope: { name: '', version: '', attributes: {} },
        attributes: { n: '12' },
      },
    ]);
  });

  test('traces: search and one, with its missing parent counted', async () => {
    const { body } = await get(`/api/traces?${hour}&entity=gpu:eu/-/GPU-a`);
    const elsewhere = await get(`/api/traces?${hour}&entity=gpu:eu/-/GPU-a&cluster=us`);
    expect(elsewhere.body.items).toEqual([]);
    expect(body.items).toEqual([
      {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        rootService: 'gateway',
        rootName: 'chat',
        startedAt: created(2),
        durationSeconds: 2,
        spans: 2,
        errors: 1,
      },
    ]);
    const trace = await get('/api/traces/0af7651916cd43dd8448eb211c80319c');
    expect(trace.body).toMatchObject({
      missing: 1,
      spans: [
        { service: 'gateway', durationSeconds: 2 },
        { service: 'llama-3-70b', entity: 'pod:eu/inference/llama-0' },
      ],
    });
  });

  test('telemetry: what the watch says replaces what its silence would say', async () => {
    const { body } = await get('/api/telemetry');
    const { sources, tables, dropped } = body as unknown as {
      sources: { kind: string; name: string; state: string }[];
      tables: { name: string; rows: number }[];
      dropped: unknown[];
    };
    expect(sources.map(({ kind, name, state }) => [kind, name, state])).toEqual([
      ['otlp', '', 'silent'],
      ['kubernetes', 'nodes', 'refused'],
    ]);
    expect(tables.find((table) => table.name === 'spans')?.rows).toBe(2);
    expect(dropped).toMatchObject([{ reason: 'too_old', signal: 'logs', count: 2, since: created(0), example: 'x' }]);
  });

  const mistakes: [string, number, string][] = [
    ['/api/entities/nonsense', 400, 'ref'],
    ['/api/entities/pod:eu/inference/nobody', 404, 'ref'],
    ['/api/entities/pod:eu/inference/nobody/changes', 404, 'ref'],
    ['/api/entities?kind=pods', 400, 'kind'],
    ['/api/entities?at=soon', 400, 'at'],
    ['/api/entities?cursor=x', 400, 'cursor'],
    ['/api/changes?entity=x', 400, 'entity'],
    ['/api/changes?limit=0', 400, 'limit'],
    ['/api/changes?from=now&to=now-1h', 400, 'from'],
    ['/api/logs?severity=loud', 400, 'severity'],
    ['/api/logs?traceId=12', 400, 'traceId'],
    ['/api/logs?entity=pod:x', 400, 'entity'],
    ['/api/traces?minDuration=-1', 400, 'minDuration'],
    ['/api/traces/xyz', 400, 'id'],
    ['/api/traces/00000000000000000000000000000001', 404, 'id'],
  ];
  test.each(mistakes)('%s is a %i that names %s', async (url, status, path) => {
    const answer = await get(url);
    expect([answer.status, (answer.body as unknown as { error: { path: string } }).error.path]).toEqual([status, path]);
  });
});
