import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everything, nowhere, type Scope, type Span } from '../../model/index.ts';
import { openTestStore, type TestStore } from '../testing.ts';
import { createTraceReader, type TraceReader, type TraceSearch } from './index.ts';

let db: TestStore;
let traces: TraceReader;

const T = Date.parse('2026-12-01T10:00:00Z');
const range = { from: T, to: T + 120_000 };
const id = (n: number) => n.toString(16).padStart(32, '0');

function span(
  trace: number,
  spanId: number,
  parent: number,
  service: string,
  more: Partial<Span> & { atMs?: number; forMs?: number; namespace?: string; cluster?: string } = {},
): Span {
  const { atMs = 0, forMs = 100, namespace = 'inference', cluster = 'eu', ...rest } = more;
  const startNs = BigInt(T + trace * 1000 + atMs) * 1_000_000n;
  return {
    traceId: id(trace),
    spanId: spanId.toString(16).padStart(16, '0'),
    parentSpanId: parent === 0 ? '' : parent.toString(16).padStart(16, '0'),
    name: `${service} op`,
    kind: 'server',
    startNs,
    endNs: startNs + BigInt(forMs) * 1_000_000n,
    status: 'unset',
    statusMessage: '',
    resource: new Map([['service.name', service]]),
    attributes: new Map(),
    scope: { name: '', version: '' },
    events: [],
    links: [],
    traceState: '',
    flags: 1,
    place: { ...nowhere, cluster, namespace, workload: service, pod: `${service}-0`, service },
    ...rest,
  };
}

/** gateway → rag-api → qdrant (no spans of its own), and rag-api → llama. */
function request(trace: number, slow: number, status: Span['status'] = 'ok'): Span[] {
  return [
    span(trace, 1, 0, 'gateway', { forMs: 300 + slow, status }),
    span(trace, 2, 1, 'gateway', { kind: 'client', atMs: 5, forMs: 290 + slow, status }),
    span(trace, 3, 2, 'rag-api', { atMs: 10, forMs: 280 + slow }),
    span(trace, 4, 3, 'rag-api', {
      kind: 'client',
      atMs: 20,
      forMs: 50,
      attributes: new Map([
        ['server.address', 'qdrant.data.svc'],
        ['db.system.name', 'qdrant'],
      ]),
    }),
    span(trace, 5, 3, 'rag-api', { kind: 'client', atMs: 80, forMs: 200 + slow }),
    span(trace, 6, 5, 'llama', {
      atMs: 81,
      forMs: 190 + slow,
      scope: { name: 'lib', version: '1', attributes: new Map([['a', 'b']]), schemaUrl: 'https://x/1' },
      events: [{ timeNs: BigInt(T) * 1_000_000n, name: 'first token', attributes: new Map([['n', 1n]]) }],
      links: [
        { traceId: id(9), spanId: '0000000000000009', traceState: 'k=v', flags: 1, attributes: new Map([['n', 2n]]) },
        { traceId: id(9), spanId: '000000000000000a', attributes: new Map() },
      ],
    }),
  ];
}

beforeAll(async () => {
  db = await openTestStore();
  traces = createTraceReader(db.store.port);
  const spans = [
    ...request(1, 0),
    ...request(2, 1000),
    ...request(3, 0, 'error'),
    span(4, 1, 0, 'other', { cluster: 'us', namespace: 'x' }),
  ];
  await db.insert({ spans });
  await db.insert({ spans: request(1, 0) });
}, 60_000);
afterAll(() => db.close());

async function check(query: Partial<TraceSearch>, expected: number[], scope: Scope = everything): Promise<void> {
  const found = await traces.search({ range, order: 'newest', limit: 10, ...query }, { scope });
  expect(found.map((trace) => Number.parseInt(trace.traceId, 16))).toEqual(expected);
}

describe('search', () => {
  test('newest and slowest first', async () => {
    await check({}, [4, 3, 2, 1]);
    await check({ limit: 2 }, [4, 3]);
    await check({ order: 'slowest', limit: 1 }, [2]);
  });
  test('by place, duration and errors', async () => {
    await check({ places: [{ cluster: 'eu', service: 'llama' }] }, [3, 2, 1]);
    await check({ places: [{ cluster: 'eu', pods: ['nobody'] }] }, []);
    await check({ minDurationSeconds: 1 }, [2]);
    await check({ errorsOnly: true }, [3]);
  });
  test('a trace is told by its root, each span counted once though it was sent twice', async () => {
    const found = await traces.search({ range, order: 'newest', limit: 10 }, { scope: everything });
    expect(found[3]).toEqual({
      traceId: id(1),
      rootService: 'gateway',
      rootName: 'gateway op',
      startMs: T + 1000,
      durationSeconds: 0.3,
      spans: 6,
      errors: 0,
    });
  });
  test('a scope', () => check({}, [4], { kind: 'limited', clusters: [{ name: 'us', namespaces: ['x'] }] }));
});

describe('one trace', () => {
  test('spans in order of start, each once, as they were', async () => {
    const spans = await traces.byId(id(1), { scope: everything });
    expect(spans).toEqual(request(1, 0));
  });
  test('short and upper-case ids, unknown ids, nonsense', async () => {
    expect(await traces.byId('1', { scope: everything })).toHaveLength(6);
    expect(await traces.byId(id(0xabc).toUpperCase(), { scope: everything })).toEqual([]);
    expect(await traces.byId("x'", { scope: everything })).toEqual([]);
  });
  test('not outside the scope', async () => {
    expect(await traces.byId(id(4), { scope: { kind: 'limited', clusters: [{ name: 'eu' }] } })).toEqual([]);
  });
});

test('who calls whom, and what has no spans of its own', async () => {
  const edges = await traces.edges({ range }, { scope: everything });
  expect(edges.map((edge) => [edge.from, edge.to, edge.requests, edge.errors])).toEqual([
    ['gateway', { kind: 'service', cluster: 'eu', name: 'rag-api' }, 3, 1],
    ['rag-api', { kind: 'dependency', name: 'qdrant.data.svc', system: 'qdrant' }, 3, 0],
    ['rag-api', { kind: 'service', cluster: 'eu', name: 'llama' }, 3, 0],
  ]);
  expect(edges[1]?.durationSeconds).toBeCloseTo(0.15);
});

test('what services served, and where', async () => {
  const services = await traces.services({ range: { from: T + 2000, to: T + 3999 } }, { scope: everything });
  const gateway = services.find((service) => service.service === 'gateway');
  expect(gateway).toMatchObject({
    cluster: 'eu',
    namespace: 'inference',
    workload: 'gateway',
    pod: 'gateway-0',
    requests: 2,
    errors: 1,
  });
  expect(gateway?.durationSeconds).toBeCloseTo(1.6);
});

describe('measures per step', () => {
  const query = { range: { from: T + 1500, to: T + 4500 }, stepMs: 1000, cluster: 'eu', services: ['gateway'] };
  const points = async (more: Partial<Parameters<TraceReader['measure']>[0]>) => {
    const [series] = await traces.measure(
      { ...query, side: 'service', measure: 'duration', ...more },
      { scope: everything },
    );
    return series ? [...series.timesMs].map((time, i) => [time - T, Number(series.values[i]?.toFixed(3))]) : [];
  };
  test('durations, by the step before each point', async () => {
    expect(await points({ stat: 'mean' })).toEqual([
      [1500, 0.3],
      [2500, 1.3],
      [3500, 0.3],
    ]);
    expect(await points({ stat: 'p95' })).toEqual([
      [1500, 0.3],
      [2500, 1.3],
      [3500, 0.3],
    ]);
  });
  test('errors per second', async () => {
    expect(await points({ measure: 'errors' })).toEqual([
      [1500, 0],
      [2500, 0],
      [3500, 1],
    ]);
  });
  test('calls to one callee, by its spans or by its address', async () => {
    const rag = { services: ['rag-api'], side: 'edge', stat: 'mean' } as const;
    expect(await points({ ...rag, callee: 'llama' })).toEqual([
      [1500, 0.2],
      [2500, 1.2],
      [3500, 0.2],
    ]);
    expect(await points({ ...rag, callee: 'qdrant.data.svc' })).toEqual([
      [1500, 0.05],
      [2500, 0.05],
      [3500, 0.05],
    ]);
  });
});

test('it keeps to the limits that it was given', async () => {
  const limited = createTraceReader(db.store.port, { seconds: 20, memoryBytes: 2 ** 28, resultRows: 1 });
  const read = limited.services({ range }, { scope: everything });
  await expect(read).rejects.toMatchObject({ kind: 'limit', limit: 'result rows 1' });
});
