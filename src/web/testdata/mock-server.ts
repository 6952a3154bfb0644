/**
 * Trifocal's API over the made-up estate beside it, for working on pages without a server: `tsx mock-server.ts [port]`.
 * Every answer passes the contract's schema before it is sent, so it cannot drift. Serves `dist/web` too, when built.
 */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import * as contract from '../../api/contract/index.ts';
import { parseRef, parseTime, SIGNALS } from '../../model/index.ts';
import { buildEstate, SLOW_MODEL, SLOW_POD } from './estate.ts';
import { buildInvestigation } from './investigation.ts';
import { answerSignal } from './signals.ts';
import { mockCardinality, mockRedaction, mockRedactionTest, mockTelemetry, mockTrouble } from './telemetry.ts';

/** The policy that the pages are made for: the real server must send the same. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** `extraWorkloads` makes lists long. */
export function startMockServer(port: number, extraWorkloads = 0): Promise<{ url: string; close(): Promise<void> }> {
  const estate = buildEstate(Date.now());
  const pattern = estate.entities.find((e) => e.name === 'rag-api');
  for (let i = 0; pattern && i < extraWorkloads; i++) {
    const name = `batch-job-with-a-rather-long-name-for-tenant-${String(i).padStart(5, '0')}`;
    estate.entities.push({ ...pattern, name, ref: `workload:prod-us/batch/${name}`, namespace: 'batch', cluster: 'prod-us' });
  }
  const kept = new Map([['inv_demo', buildInvestigation(estate, 'inv_demo', SLOW_MODEL, Date.now() - 3_600_000, Date.now())]]);
  const server = createServer((request, response) => {
    void answer(estate, kept, request, response).catch((error: unknown) => {
      console.error(error);
      send(response, 500, { error: { code: 'mock', message: String(error) } });
    });
  });
  return listen(server, port);
}

async function answer(estate: ReturnType<typeof buildEstate>, kept: Map<string, contract.InvestigationBody>, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://mock');
  const get = (name: string) => url.searchParams.get(name) ?? undefined;
  const time = (name: string, otherwise: number) => parseTime(get(name) ?? '', Date.now()) ?? otherwise;
  const from = time('from', Date.now() - 3_600_000);
  const to = time('to', Date.now());
  const ok = <T extends z.ZodType>(schema: T, value: z.input<T>, status = 200) => send(response, status, schema.parse(value));
  const fail = (status: number, code: string, message: string, hint?: string) => send(response, status, contract.errorResponse.parse({ error: { code, message, ...(hint ? { hint } : {}) } }));
  const path = url.pathname;
  const iso = (ms: number) => new Date(ms).toISOString();

  if (path === '/api/status')
    return ok(contract.statusResponse, { version: '0.1.0', startedAt: iso(estate.startedMs), now: iso(Date.now()), demo: 'live', clusters: ['prod-eu', 'prod-us'], storeUp: true, trouble: mockTrouble() });
  if (path === '/api/entities') {
    const q = get('q')?.toLowerCase();
    const items = estate.entities.filter(
      (e) => (!get('kind') || e.kind === get('kind')) && (!get('cluster') || e.cluster === get('cluster')) && (!q || `${e.name} ${e.ref}`.toLowerCase().includes(q)),
    );
    return ok(contract.entitiesResponse, { items: items.slice(0, Number(get('limit') ?? 500)), next: null });
  }
  if (path.endsWith('/coverage')) {
    const kind = decodeURIComponent(path).split(':')[0]?.split('/').at(-1) ?? '';
    const items = SIGNALS.filter((s) => s.home === kind || (kind === 'workload' && s.home === 'pod')).map(({ name }, i) => (i % 5 === 4 ? { signal: name, present: false, fix: `Scrape what gives ${name}.` } : { signal: name, present: true, source: 'vllm' }));
    return ok(contract.coverageResponse, { items });
  }
  if (path.startsWith('/api/entities/')) {
    const ref = decodeURIComponent(path.slice('/api/entities/'.length)).replace(/^model:/, 'workload:');
    const entity = estate.entities.find((e) => e.ref === ref);
    if (!entity) return fail(404, 'entity-not-found', `No entity ${ref} is known.`, 'It may have been deleted before the shown range.');
    const relations = estate.relations.filter((r) => r.from === ref || r.to === ref);
    const near = new Set(relations.flatMap((r) => [r.from, r.to]));
    const users = relations.filter((r) => r.kind === 'uses' && r.to === ref);
    return ok(contract.entityDetail, {
      ...entity,
      at: iso(Date.now()),
      relations,
      related: estate.entities.filter((e) => near.has(e.ref) && e.ref !== ref),
      ...(entity.kind === 'gpu'
        ? {
            gpu: {
              uuid: entity.name, index: String(entity.facts.index), node: String(entity.facts.node), model: String(entity.facts.model), memoryBytes: Number(entity.facts.memoryBytes), mig: [],
              allocations: users.map((r) => ({ container: `container:${r.from.split(':')[1]}%2Fvllm`, share: 1, confidence: 'exact' as const })),
              unreadable: [{ signal: 'gpu.nvlink.errors', reason: 'NVLink counters are not in the exporter’s counters file' }],
              xid: [],
            },
          }
        : {}),
    });
  }
  if (path === '/api/changes') {
    const about = get('entity');
    const near = about ? new Set([about, ...estate.relations.filter((r) => r.from === about || r.to === about).flatMap((r) => [r.from, r.to])]) : undefined;
    const items = estate.changes.filter((c) => Date.parse(c.at) >= from && Date.parse(c.at) <= to && (!near || near.has(c.entity)) && (!get('cluster') || parseRef(c.entity)?.cluster === get('cluster')));
    return ok(contract.changesResponse, items);
  }
  if (path === '/api/events') return ok(contract.eventsResponse, { items: estate.events });
  if (path === '/api/signals')
    return ok(contract.signalsResponse, SIGNALS.map(({ name, unit, meaning, direction, aggregate, layer }) => ({ name, unit, meaning, direction, aggregate, layer, sources: ['mock'] })));
  if (path.startsWith('/api/signals/')) {
    const name = decodeURIComponent(path.slice('/api/signals/'.length));
    const question = { name, entity: get('entity') ?? '', by: get('by'), stat: get('stat') ?? 'p95', from, to, step: Number(get('step') ?? 15) };
    return ok(contract.signalResponse, answerSignal(estate, question));
  }
  if (path === '/api/logs') {
    const q = get('q')?.toLowerCase();
    const lines = Array.from({ length: 160 }, (_, i) => logLine(i)).filter((l) => Date.parse(l.at) >= from && (!q || l.body.toLowerCase().includes(q)) && (!get('severity') || l.severity === get('severity')));
    return ok(contract.logsResponse, { items: lines, scannedRows: 48_210, truncated: false });
  }
  if (path === '/api/traces') {
    const items = Array.from({ length: 40 }, (_, i) => ({ traceId: traceId(i), rootService: 'gateway', rootName: i % 3 ? 'POST /v1/chat/completions' : 'POST /v1/rag/answer', startedAt: iso(Date.now() - i * 41_000), durationSeconds: 2.4 + ((i * 37) % 100) / 7, spans: 9 + (i % 5), errors: i % 17 === 4 ? 1 : 0 }));
    if (get('order') === 'slowest') items.sort((a, b) => b.durationSeconds - a.durationSeconds);
    return ok(contract.tracesResponse, { items });
  }
  if (path.startsWith('/api/traces/')) return ok(contract.traceResponse, trace(path.slice('/api/traces/'.length)));
  if (path === '/api/investigations' && request.method === 'POST') {
    const body = contract.investigationRequest.parse(JSON.parse(await read(request)));
    await new Promise((resolve) => setTimeout(resolve, 600));
    const id = `inv_${Math.random().toString(36).slice(2, 12)}`;
    const result = buildInvestigation(estate, id, body.subject, time2(body.from), time2(body.to));
    kept.set(id, result);
    return ok(contract.investigation, result, 201);
  }
  if (path === '/api/investigations')
    return ok(contract.investigationsResponse, { items: [...kept.values()].reverse().map(({ id, createdAt, subject, symptom, verdict, headline, confidence }) => ({ id, createdAt, subject, symptom, verdict, headline, confidence })), next: null });
  if (path.startsWith('/api/investigations/')) {
    const found = kept.get(path.slice('/api/investigations/'.length));
    return found ? ok(contract.investigation, found) : fail(404, 'not-found', 'There is no investigation of this id.');
  }
  if (path === '/api/telemetry') return ok(contract.telemetryResponse, mockTelemetry());
  if (path === '/api/cardinality') return ok(contract.cardinalityResponse, mockCardinality(get('cluster')));
  if (path === '/api/redaction') return ok(contract.redactionResponse, mockRedaction());
  if (path === '/api/redaction/test' && request.method === 'POST') {
    const { text } = contract.redactionTest.parse(JSON.parse(await read(request)));
    return ok(contract.redactionTestResponse, mockRedactionTest(text));
  }
  if (path === '/prometheus/api/v1/query_range') {
    const matrix = promRange(url.searchParams);
    return send(response, matrix.status === 'error' ? 400 : 200, matrix);
  }
  if (path.startsWith('/api/') || path.startsWith('/prometheus/')) return fail(404, 'not-found', `The mock has no ${path}.`);
  return file(path, response);
}

const time2 = (text: string) => parseTime(text, Date.now()) ?? Date.now();
const traceId = (i: number) => (0x9e3779b97f4a7c15n * BigInt(i + 1)).toString(16).padStart(32, '0').slice(-32);

/** Lines that viewers get wrong: colours, a stack trace, one that was cut. */
const ODD_LINES: Readonly<Record<number, string>> = {
  1: '\u001b[32mINFO\u001b[0m:     10.4.2.31:50712 - "\u001b[1mPOST /v1/chat/completions HTTP/1.1\u001b[0m" \u001b[32m200 OK\u001b[0m',
  3: 'Traceback (most recent call last):\n  File "/app/vllm/engine/core.py", line 812, in step\n    outputs = self.model_executor.execute_model(scheduler_output)\n  File "/app/vllm/worker/gpu_worker.py", line 291, in execute_model\n    raise RuntimeError(message)\nRuntimeError: CUDA error: an illegal memory access was encountered',
  5: `scheduler state: ${'{"request": "cmpl-8c1", "tokens": 11832} '.repeat(40)}…[cut: 1843200 bytes]`,
};

function logLine(i: number) {
  const at = Date.now() - i * 21_000 - (i % 7) * 1300;
  const severity = i % 23 === 3 ? 'error' : i % 9 === 2 ? 'warn' : 'info';
  const body = ODD_LINES[i] ??
    (severity === 'error'
      ? 'upstream request timed out after 30.0 s, retrying on another replica'
      : severity === 'warn'
        ? 'Request prefill took 2.31 s: prompt of 11832 tokens, prefix cache hit 0 tokens'
        : `Avg prompt throughput: ${(2900 - i).toFixed(1)} tokens/s, Avg generation throughput: ${(1030 + (i % 40)).toFixed(1)} tokens/s, Running: ${14 + (i % 6)} reqs, Waiting: ${i % 11} reqs, GPU KV cache usage: ${(68 + (i % 20)).toFixed(1)}%`);
  return { at: new Date(at).toISOString(), timeNs: `${at}000000`, severity, body, entity: SLOW_POD, container: 'vllm', traceId: i % 5 === 0 ? traceId(i) : '', spanId: '', scope: { name: '', version: '', attributes: {} }, attributes: { 'log.iostream': 'stderr' } };
}

function trace(id: string): contract.TraceResponse {
  const start = Date.now() - 300_000;
  const span = (spanId: string, parentSpanId: string, service: string, name: string, offset: number, durationSeconds: number, status = 'ok') => ({
    spanId, parentSpanId, service, name, kind: 'server', status, statusMessage: '', startedAt: new Date(start + offset * 1000).toISOString(), startNs: String(BigInt(start + Math.round(offset * 1000)) * 1_000_000n), durationSeconds,
    entity: `service:prod-eu/-/${service}`, attributes: { 'http.request.method': 'POST', 'gen_ai.request.model': 'llama-3-70b' }, resource: { 'service.name': service, 'k8s.cluster.name': 'prod-eu' }, events: [],
    scope: { name: 'opentelemetry.instrumentation.asgi', version: '0.59b0', attributes: {}, schemaUrl: '' }, traceState: '', flags: 0,
    links: spanId === 'g1' ? [{ traceId: traceId(7), spanId: 'a1', traceState: '', flags: 0, attributes: { 'link.kind': 'retry of' } }] : [],
  });
  return {
    traceId: id,
    missing: 1,
    spans: [
      span('a1', '', 'gateway', 'POST /v1/rag/answer', 0, 12.4), span('b1', 'a1', 'rag-api', 'answer', 0.02, 12.35), span('c1', 'b1', 'embedding', 'embed', 0.04, 0.08),
      span('d1', 'b1', 'qdrant', 'Search points', 0.14, 0.21), span('e1', 'b1', 'llama-3-70b', 'chat llama-3-70b', 0.4, 11.9), span('f1', 'e1', 'llama-3-70b', 'queue', 0.41, 0.6),
      span('f2', 'e1', 'llama-3-70b', 'prefill', 1.01, 0.4), span('f3', 'e1', 'llama-3-70b', 'decode', 1.41, 10.8), span('g1', 'zz', 'gateway', 'audit log', 12.3, 0.05, 'error'),
    ],
  };
}

function promRange(params: URLSearchParams) {
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(params.get(name)));
  const query = params.get('query') ?? '';
  if (/\($|\{$/.test(query.trim())) return { status: 'error', errorType: 'bad_data', error: `1:${query.length}: parse error: unexpected end of input` };
  const during = Date.now() / 1000 - 25 * 60;
  const level = /CLOCK/.test(query) ? [1980, 1215] : /TEMP/.test(query) ? [66, 91] : /VIOLATION/.test(query) ? [0, 0.62] : /inter_token/.test(query) ? [0.024, 0.074] : [4.8, 4.9];
  const values: [number, string][] = [];
  for (let t = start ?? 0; t <= (end ?? 0); t += step || 15) values.push([t, String((t < during ? level[0] ?? 0 : level[1] ?? 0) * (1 + 0.02 * Math.sin(t / 40)))]);
  const pods = /by \(pod\)|^[a-z:_]+$/.test(query) ? ['llama-3-70b-0', 'llama-3-70b-1', 'llama-3-70b-2'] : [''];
  return { status: 'success', data: { resultType: 'matrix', result: pods.map((pod, i) => ({ metric: pod ? { pod, namespace: 'inference' } : {}, values: values.map(([t, v]) => [t, String(Number(v) * (1 + i * 0.3))]) })) } };
}

const TYPES: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

function file(path: string, response: ServerResponse) {
  const root = fileURLToPath(new URL('../../../dist/web', import.meta.url));
  const wanted = join(root, normalize(path));
  const found = wanted.startsWith(root) && existsSync(wanted) && statSync(wanted).isFile() ? wanted : join(root, 'index.html');
  if (!existsSync(found)) return send(response, 404, { error: { code: 'not-built', message: 'dist/web is not built: npx vite build --config src/web/vite.config.ts' } });
  response.writeHead(200, { 'content-type': TYPES[extname(found)] ?? 'application/octet-stream', 'content-security-policy': POLICY });
  createReadStream(found).pipe(response);
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function listen(server: Server, port: number): Promise<{ url: string; close(): Promise<void> }> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      resolve({
        url: `http://127.0.0.1:${actual}`,
        close: () =>
          new Promise((closed) => {
            server.closeAllConnections();
            server.close(() => closed());
          }),
      });
    });
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await startMockServer(Number(process.argv[2] ?? 4399));
  console.log(`mock server at ${url}`);
}
