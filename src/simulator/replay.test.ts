import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { uncompressSync } from 'snappy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import { defaultEstate } from './blueprint.ts';
import { createSender, type Sender } from './doors/sender.ts';
import { createEstate, type Estate } from './estate.ts';
import { renderPage } from './pages/page.ts';
import { type Agent, replay } from './replay.ts';

/** The wire formats as their projects publish them, cut down to what is read here. */
const schema = protobuf.parse(`
  syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
  message PushRequest { repeated Stream streams = 1; }
  message Stream { string labels = 1; repeated Entry entries = 2; }
  message Entry { Timestamp timestamp = 1; string line = 2; repeated Label structuredMetadata = 3; }
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }
  message Export { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; } }
  message ArrayValue { repeated AnyValue values = 1; }
`).root;

function decode(type: string, body: Uint8Array) {
  return schema.lookupType(type).toObject(schema.lookupType(type).decode(body), { longs: Number, defaults: true });
}

interface Arrived {
  path: string;
  body: Buffer;
}

const arrived: Arrived[] = [];
let refusals = 0;
/** A receiver that is busy at first: every door must be tried again. */
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  if (refusals++ < 3) {
    response.writeHead(503).end('busy');
    return;
  }
  const body = Buffer.concat(parts);
  const encoding = request.headers['content-encoding'];
  arrived.push({
    path: request.url ?? '',
    body: encoding === 'gzip' ? gunzipSync(body) : (uncompressSync(body) as Buffer),
  });
  response.writeHead(request.url === '/v1/traces' ? 200 : 204).end();
});

const HISTORY_MS = 400_000;
let estate: Estate;
let sender: Sender;
let fromMs: number;
let afterwards: ReturnType<Agent['collect']>;
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  fromMs = Date.now() - HISTORY_MS;
  const rolloutsMs = [Math.ceil(fromMs / 1000) * 1000 + 120_000];
  estate = createEstate({ seed: 8, startMs: fromMs - 60_000, rolloutsMs, plan: defaultEstate().slice(0, 1) });
  const signal = new AbortController().signal;
  sender = createSender({ trifocal: url, otlp: url, clock: systemClock, signal });
  const at = [{ ms: fromMs + 100_000, run: () => void estate.startFault({ fault: 'gpu-thermal-throttle' }) }];
  const agentJobs = ['node-exporter'];
  const replayed = await replay({ estate, sender, clock: systemClock, fromMs, at, agentJobs });
  await replayed.delivered;
  estate.runTo(estate.now + 2 * 30_000);
  afterwards = replayed.agent.collect();
});
afterAll(() => receiver.close());

interface Series {
  labels: Record<string, string>;
  samples: { value: number; timestamp: number }[];
}

/** A series that is not there any more ends with a stale marker. */
function hasEnded({ samples }: Series): boolean {
  return Number.isNaN(samples[samples.length - 1]?.value);
}

let decoded: Map<string, Series> | undefined;

function series(): Map<string, Series> {
  if (decoded) return decoded;
  const all = new Map<string, Series>();
  let unsorted = 0;
  for (const { body } of arrived.filter(({ path }) => path === '/prometheus/api/v1/write')) {
    for (const { labels, samples } of decode('WriteRequest', body).timeseries) {
      const names = labels.map((label: { name: string }) => label.name);
      unsorted += names.some((name: string, i: number) => i > 0 && name <= names[i - 1]) ? 1 : 0;
      const record = Object.fromEntries(labels.map((l: { name: string; value: string }) => [l.name, l.value]));
      const key = JSON.stringify(record);
      const known = all.get(key);
      if (known) known.samples.push(...samples);
      else all.set(key, { labels: record, samples });
    }
  }
  expect(unsorted).toBe(0);
  decoded = all;
  return all;
}

test('what was counted as sent has arrived, after refusals too', () => {
  const all = [...series().values()];
  expect(refusals).toBeGreaterThan(3);
  expect(sender.sent.samples).toBe(all.reduce((sum, { samples }) => sum + samples.length, 0));
  const lines = arrived
    .filter(({ path }) => path === '/loki/api/v1/push')
    .flatMap(({ body }) => decode('PushRequest', body).streams);
  expect(sender.sent.lines).toBe(lines.reduce((sum, { entries }) => sum + entries.length, 0));
  const spans = arrived
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => decode('Export', body).resourceSpans);
  const counted = spans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope: { spans: object[] }) => scope.spans);
  expect(sender.sent.spans).toBe(counted.length);
  expect(Math.min(sender.sent.samples, sender.sent.lines, sender.sent.spans)).toBeGreaterThan(500);
});

test('replayed series are those that scraping the pages would give, with counters that never go back', () => {
  const replayed = series();
  const scraped = new Set<string>();
  for (const target of estate.targets) {
    for (const line of renderPage(target.page).split('\n')) {
      const [, name = '', inner = ''] = /^([^#{\s]+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      if (name === '') continue;
      const own = [...inner.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map((m) => [m[1] ?? '', m[2] ?? '']);
      const labels = {
        __name__: name,
        cluster: target.cluster,
        job: target.job,
        ...target.labels,
        ...Object.fromEntries(own),
      };
      const pairs = Object.entries(labels).filter(([, value]) => value !== '');
      scraped.add(JSON.stringify(Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))));
    }
  }
  const reports = /^(up|scrape_.*)$/;
  const unknown = [...replayed.values()].filter(
    (one) => !hasEnded(one) && !reports.test(one.labels.__name__ ?? '') && !scraped.has(JSON.stringify(one.labels)),
  );
  expect(unknown.map(({ labels }) => labels)).toEqual([]);
  // The others appeared after their last scrape.
  expect(replayed.size).toBeGreaterThan(0.98 * scraped.size);
  const backwards: string[] = [];
  for (const [key, { labels, samples }] of replayed) {
    const counter = /_(total|count|bucket)$/.test(labels.__name__ ?? '') && labels.__name__ !== 'collections_total';
    for (let i = 1; i < samples.length; i++) {
      const [a, b] = [samples[i - 1], samples[i]];
      if (!a || !b) continue;
      if (b.timestamp <= a.timestamp || (counter && b.value < a.value)) backwards.push(key);
    }
  }
  expect(backwards).toEqual([]);
});

test('each target is scraped on its own grid without a gap, and reports on itself', () => {
  const ups = [...series().values()].filter(({ labels }) => labels.__name__ === 'up');
  expect(ups.filter((up) => !hasEnded(up)).length).toBe(estate.targets.length);
  for (const { labels, samples } of ups.filter(({ labels }) => labels.job !== 'rag-api')) {
    const step = estate.targets.find(({ job }) => job === labels.job)?.intervalMs ?? 0;
    expect(samples.length).toBeGreaterThanOrEqual(Math.floor(HISTORY_MS / step));
    const first = samples[0]?.timestamp ?? 0;
    expect(first).toBeGreaterThanOrEqual(fromMs);
    for (const [i, sample] of samples.entries()) expect(sample).toEqual({ value: 1, timestamp: first + i * step });
  }
});

test('the series of pods that a rollout replaces end with a stale marker, and those of the new ones begin', () => {
  const ups = [...series().values()].filter(({ labels }) => labels.__name__ === 'up' && labels.job === 'rag-api');
  expect(ups.length).toBe(4);
  const [gone, come] = [ups.filter(hasEnded), ups.filter((up) => !hasEnded(up))];
  expect(gone.length).toBe(2);
  const running = new Set(estate.targets.map(({ labels }) => labels.pod));
  for (const { labels, samples } of gone) {
    expect(running).not.toContain(labels.pod);
    expect(samples.filter(({ value }) => Number.isNaN(value)).length).toBe(1);
  }
  for (const { labels, samples } of come) {
    expect(running).toContain(labels.pod);
    expect(samples[0]?.timestamp).toBeGreaterThan(fromMs + 120_000);
  }
  const old = new Set(gone.map(({ labels }) => labels.pod));
  const left = [...series().values()].filter((one) => old.has(one.labels.pod ?? '') && !hasEnded(one));
  expect(left.map(({ labels }) => labels)).toEqual([]);
});

test('the fault shows in the history from its time on', () => {
  const clocks = [...series().values()].filter(({ labels }) => labels.__name__ === 'DCGM_FI_DEV_SM_CLOCK');
  const throttled = clocks.filter(({ samples }) => samples.some(({ value }) => value < 1980));
  expect(throttled.map(({ labels }) => labels.pod)).toEqual(['llama-3-70b-1']);
  const firstLow = throttled[0]?.samples.find(({ value }) => value < 1980)?.timestamp ?? 0;
  expect(firstLow).toBeGreaterThan(fromMs + 100_000);
});

test('spans and lines say where they come from', () => {
  const [push] = arrived.filter(({ path }) => path === '/loki/api/v1/push');
  const [stream] = decode('PushRequest', push?.body ?? Buffer.alloc(0)).streams;
  expect(stream.labels).toMatch(
    /^\{app="[^"]+", cluster="prod-(eu|us)", container="[^"]+", namespace="[^"]+", node="[^"]+", pod="[^"]+", service_name="[^"]+"\}$/,
  );
  const [export_] = arrived.filter(({ path }) => path === '/v1/traces');
  const [resource] = decode('Export', export_?.body ?? Buffer.alloc(0)).resourceSpans;
  const attributes = Object.fromEntries(
    resource.resource.attributes.map((a: { key: string; value: { stringValue: string } }) => [
      a.key,
      a.value.stringValue,
    ]),
  );
  expect(attributes).toMatchObject({
    'service.name': expect.any(String),
    'k8s.cluster.name': expect.stringMatching(/^prod-/),
  });
  const [span] = resource.scopeSpans[0].spans;
  expect(span.traceId.length).toBe(16);
  expect(span.traceState).toBe('ot=th:e6666666666666');
  expect(span.startTimeUnixNano / 1e6).toBeGreaterThan(fromMs - 60_000);
});

test('the agent goes on with its jobs in the present, where the history ended and with nothing else', () => {
  const decodeRun = (labels: Uint8Array) => Buffer.from(labels).toString('latin1');
  const lines = afterwards.filter(({ length }) => length > 0).map(({ labels }) => decodeRun(labels));
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => !line.includes('node-exporter'))).toEqual([]);
  const newest = Math.max(
    ...[...series().values()].flatMap(({ samples }) => samples.map(({ timestamp }) => Number(timestamp))),
  );
  for (const { times, length } of afterwards) {
    if (length === 0) continue;
    expect(length).toBe(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(30_000);
    expect(times[0]).toBeGreaterThan(newest - 30_000);
  }
});

test('counters begin near zero where the history begins, so that a restart looks like one', () => {
  const tokens = [...series().values()].filter(({ labels }) => labels.__name__ === 'vllm:generation_tokens_total');
  expect(tokens.length).toBeGreaterThan(0);
  for (const { samples } of tokens) {
    const [first, last] = [samples[0]?.value ?? Number.NaN, samples.at(-1)?.value ?? Number.NaN];
    expect(first).toBeLessThan(last / 5);
  }
});
