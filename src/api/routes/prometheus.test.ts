import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { everything, labelSetFrom, type Scope, scopeAllows } from '../../model/index.ts';
import { createMemorySource, createPromqlEngine } from '../../query/index.ts';
import { createHttpServer } from '../server.ts';
import { prometheusRoutes } from './prometheus.ts';

const API = '/prometheus/api/v1';
let app: FastifyInstance;
let scope: Scope;
let logged: object[];
let defect: Error | undefined;

beforeEach(async () => {
  scope = everything;
  const source = createMemorySource();
  source.add(
    {
      series: [
        { labels: labelSetFrom({ __name__: 'up', job: 'a' }), cluster: 'eu' },
        { labels: labelSetFrom({ __name__: 'up', job: 'b' }), cluster: 'us' },
        { labels: labelSetFrom({ __name__: 'tiny', 'k8s.pod': 'p' }), cluster: 'eu' },
      ],
      seriesOf: Uint32Array.of(0, 0, 1, 2),
      timesMs: Float64Array.of(0, 60_500, 60_500, 60_500),
      values: Float64Array.of(1, Number.POSITIVE_INFINITY, 0.5, 1e-7),
    },
    [{ family: 'up', type: 'gauge', help: 'whether it answers', unit: '' }],
  );
  const latency = { labels: labelSetFrom({ __name__: 'latency', job: 'a' }), cluster: 'eu' };
  source.add({
    series: [latency],
    seriesOf: Uint32Array.of(0),
    timesMs: Float64Array.of(61_000),
    values: Float64Array.of(7),
  });
  source.addHistograms({
    series: [latency],
    seriesOf: Uint32Array.of(0),
    timesMs: Float64Array.of(60_000),
    values: [
      {
        schema: 0,
        integer: true,
        resetHint: 'unknown',
        stale: false,
        count: 6,
        sum: 2.5,
        zeroThreshold: 0.001,
        zeroCount: 2,
        positive: { spans: [{ offset: 0, length: 2 }], counts: [3, 0] },
        negative: { spans: [{ offset: 1, length: 1 }], counts: [1] },
        customBounds: [],
      },
    ],
  });
  source.addExemplars([{ series: latency, timeMs: 60_500, value: 0.25, labels: ['trace_id', 'abc'] }]);
  const clock = manualClock(61_000);
  app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1024 ** 2, allowedHosts: ['localhost'] });
  app.addHook('onRequest', async (request) => {
    request.scope = scope;
  });
  const engine = createPromqlEngine({ source, clock });
  const targets = (visible: Scope) =>
    ['eu', 'us'].filter((cluster) => scopeAllows(visible, cluster, undefined)).map((cluster) => ({ cluster }));
  logged = [];
  defect = undefined;
  const metadata: typeof source.metadata = (...asked) => (defect ? Promise.reject(defect) : source.metadata(...asked));
  const logger = { ...silentLogger, error: (fields: object) => logged.push(fields) };
  await app.register(prometheusRoutes({ engine, source: { ...source, metadata }, clock, logger, targets }));
});
afterEach(() => app.close());

async function get(path: string, query: Record<string, string | string[]> = {}) {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) parameters.append(name, value);
  const answer = await app.inject({ url: `${API}${path}?${parameters}`, headers: { host: 'localhost' } });
  return { status: answer.statusCode, body: answer.json() };
}

test('what Grafana asks to see whether the source works', async () => {
  const form = {
    method: 'POST',
    url: `${API}/query`,
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'query=1%2B1&time=4',
  } as const;
  expect((await app.inject(form)).json()).toEqual({
    status: 'success',
    data: { resultType: 'scalar', result: [4, '2'] },
  });
  const { body } = await get('/status/buildinfo');
  expect(body.data.version).toMatch(/^3\.\d+\.\d+$/);
  expect(body.data).not.toHaveProperty('features');
});

test('an instant vector; the time is now when none is given', async () => {
  const { status, body } = await get('/query', { query: 'up' });
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'success',
    data: {
      resultType: 'vector',
      result: [
        { metric: { __name__: 'up', job: 'a' }, value: [61, '+Inf'] },
        { metric: { __name__: 'up', job: 'b' }, value: [61, '0.5'] },
      ],
    },
  });
});

test('a matrix, with times of milliseconds and numbers as Prometheus writes them', async () => {
  const { body } = await get('/query_range', {
    query: '{"k8s.pod"="p"} * 1',
    start: '60.5',
    end: '1970-01-01T00:01:01.5Z',
    step: '500ms',
  });
  expect(body.data).toEqual({
    resultType: 'matrix',
    result: [
      {
        metric: { 'k8s.pod': 'p' },
        values: [
          [60.5, '1e-07'],
          [61, '1e-07'],
          [61.5, '1e-07'],
        ],
      },
    ],
  });
});

test('strings, empty vectors and empty matrices', async () => {
  expect((await get('/query', { query: '"a\\"b"', time: '1' })).body.data).toEqual({
    resultType: 'string',
    result: [1, 'a"b'],
  });
  expect((await get('/query', { query: 'none' })).body.data).toEqual({ resultType: 'vector', result: [] });
  expect((await get('/query_range', { query: 'none', start: '0', end: '1', step: '1' })).body.data).toEqual({
    resultType: 'matrix',
    result: [],
  });
});

test('notes come beside the answer, and a limit says that it cut', async () => {
  const { body } = await get('/query', { query: 'rate(up[2m])' });
  expect(body.infos).toEqual([
    'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "up" (1:6)',
  ]);
  const cut = await get('/query', { query: 'up', limit: '1' });
  expect(cut.body.data.result).toHaveLength(1);
  expect(cut.body.warnings).toEqual(['results truncated due to limit']);
});

test.each([
  [
    '/query',
    { query: 'up +' },
    400,
    'bad_data',
    'invalid parameter "query": 1:5: parse error: unexpected end of input',
  ],
  [
    '/query',
    { query: 'up', time: 'noon' },
    400,
    'bad_data',
    'invalid parameter "time": cannot parse "noon" to a valid timestamp',
  ],
  [
    '/query',
    { query: 'up', limit: '-1' },
    400,
    'bad_data',
    'invalid parameter "limit": "-1" is not a number of results; 0 stands for all',
  ],
  [
    '/query_range',
    { query: 'up', start: '5', end: '1', step: '1' },
    400,
    'bad_data',
    'invalid parameter "end": end timestamp must not be before start time',
  ],
  [
    '/query_range',
    { query: 'up', start: '1', end: '5', step: '0' },
    400,
    'bad_data',
    'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer',
  ],
  [
    '/query_range',
    { query: 'up', end: '5', step: '1' },
    400,
    'bad_data',
    'invalid parameter "start": cannot parse "" to a valid timestamp',
  ],
  [
    '/query_range',
    { query: 'up', start: '0', end: '12000', step: '1' },
    400,
    'bad_data',
    'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
  ],
  [
    '/query_range',
    { query: 'up[5m]', start: '0', end: '1', step: '1' },
    400,
    'bad_data',
    'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector',
  ],
  [
    '/query',
    { query: 'up + on(job) group_left() (up or tiny)  + on() up' },
    422,
    'execution',
    expect.stringContaining('found duplicate series for the match group {} on the right hand-side'),
  ],
  ['/series', {}, 400, 'bad_data', 'no match[] parameter provided'],
  [
    '/series',
    { 'match[]': 'up + 1' },
    400,
    'bad_data',
    expect.stringContaining('invalid parameter "match[]": 1:1: parse error'),
  ],
])('%s %o', async (path, query, status, errorType, error) => {
  expect(await get(path, query)).toEqual({ status, body: { status: 'error', errorType, error } });
});

test('series, label names and values, escaped names among them', async () => {
  expect((await get('/series', { 'match[]': ['up{job="a"}', 'tiny'] })).body.data).toEqual([
    { __name__: 'tiny', 'k8s.pod': 'p' },
    { __name__: 'up', job: 'a' },
  ]);
  expect((await get('/labels')).body.data).toEqual(['__name__', 'job', 'k8s.pod']);
  expect((await get('/labels', { limit: '1' })).body).toEqual({
    status: 'success',
    data: ['__name__'],
    warnings: ['results truncated due to limit'],
  });
  expect((await get('/label/job/values', { 'match[]': 'up{job!="a"}' })).body.data).toEqual(['b']);
  expect((await get('/label/U__k8s_2e_pod/values')).body.data).toEqual(['p']);
  expect((await get('/label/job/values', { start: '100', end: '200' })).body.data).toEqual([]);
  expect((await get('/metadata')).body.data).toEqual({ up: [{ type: 'gauge', help: 'whether it answers', unit: '' }] });
});

test('every answer keeps to the scope of its request', async () => {
  scope = { kind: 'limited', clusters: [{ name: 'us' }] };
  expect((await get('/query', { query: 'up' })).body.data.result).toHaveLength(1);
  expect((await get('/series', { 'match[]': 'up' })).body.data).toEqual([{ __name__: 'up', job: 'b' }]);
  expect((await get('/label/job/values')).body.data).toEqual(['b']);
  expect((await get('/labels')).body.data).toEqual(['__name__', 'job']);
  expect((await get('/targets')).body.data.activeTargets).toEqual([{ cluster: 'us' }]);
});

test('an unexpected error is told to the log, with its stack and the path', async () => {
  defect = new Error('a defect');
  const { status, body } = await get('/metadata', { metric: 'up' });
  expect([status, body.errorType]).toEqual([500, 'internal']);
  expect(body.error).not.toContain('a defect');
  expect(logged).toEqual([{ error: expect.stringMatching(/^Error: a defect\n +at /), path: `${API}/metadata` }]);
  await get('/query', { query: 'up +' });
  expect(logged).toHaveLength(1);
});

test.each(['rules', 'alerts'])('%s, which nobody keeps, are empty with a warning', async (path) => {
  const { status, body } = await get(`/${path}`);
  expect([status, body.status]).toEqual([200, 'success']);
  expect(body.warnings).toEqual([expect.stringMatching(/^this version of Trifocal has no (rules|alerts)$/)]);
});

test('native histograms come in the form that Prometheus gives them', async () => {
  const histogram = {
    count: '6',
    sum: '2.5',
    buckets: [
      [1, '-2', '-1', '1'],
      [3, '-0.001', '0.001', '2'],
      [0, '0.5', '1', '3'],
    ],
  };
  const metric = { __name__: 'latency', job: 'a' };
  const instant = await get('/query', { query: 'latency', time: '60' });
  expect(instant.body.data).toEqual({ resultType: 'vector', result: [{ metric, histogram: [60, histogram] }] });
  const only = await get('/query_range', { query: 'latency', start: '60', end: '60', step: '1' });
  expect(only.body.data.result).toEqual([{ metric, histograms: [[60, histogram]] }]);
  const both = await get('/query', { query: 'latency[1m]', time: '61' });
  expect(both.body.data.result).toEqual([{ metric, values: [[61, '7']], histograms: [[60, histogram]] }]);
  const quantile = await get('/query', { query: 'histogram_quantile(0.75, latency)', time: '60' });
  expect(quantile.body.data.result[0].value[1]).toBe(String(2 ** -0.5));
});

test('exemplars of every selector of a query, in time and scope', async () => {
  const query = 'sum(rate(latency[5m])) / histogram_quantile(0.9, latency{job="b"})';
  const exemplar = { labels: { trace_id: 'abc' }, value: '0.25', timestamp: 60.5 };
  const found = [{ seriesLabels: { __name__: 'latency', job: 'a' }, exemplars: [exemplar] }];
  expect((await get('/query_exemplars', { query, start: '60', end: '61' })).body).toEqual({
    status: 'success',
    data: found,
  });
  expect((await get('/query_exemplars', { query, start: '0', end: '60' })).body.data).toEqual([]);
  expect((await get('/query_exemplars', { query, start: '61', end: '60' })).body.errorType).toBe('bad_data');
  expect((await get('/query_exemplars', { query: 'up +' })).status).toBe(400);
  scope = { kind: 'limited', clusters: [{ name: 'us' }] };
  expect((await get('/query_exemplars', { query })).body.data).toEqual([]);
});

test('a large answer arrives whole', async () => {
  const { body } = await get('/query_range', {
    query: 'label_replace(vector(time()), "i", "1", "", "") or vector(0)',
    start: '0',
    end: '10999',
    step: '1',
  });
  expect(body.data.result.map((series: { values: unknown[] }) => series.values.length)).toEqual([11_000, 11_000]);
});
