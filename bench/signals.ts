import { compressSync } from 'snappy';
import { cpuSeconds, waitFor } from '../test/programs/process.ts';
import { field, fixed64Field, varintField } from '../test/programs/protobuf.ts';
import { startTrifocal } from '../test/programs/trifocal.ts';
import type { Figure } from './figure.ts';

const SPANS = 200_000;
const LINES = 400_000;
const SENDERS = 4;

interface Load {
  name: string;
  unit: string;
  table: 'spans' | 'logs';
  total: number;
  path: string;
  type: string;
  bodies(): Iterable<Buffer>;
}

const LOADS: readonly Load[] = [
  {
    name: 'OTLP traces, protobuf',
    unit: 'spans per CPU second',
    table: 'spans',
    total: SPANS,
    path: '/v1/traces',
    type: 'application/x-protobuf',
    bodies: () => batches(SPANS, 2000, spansInProtobuf),
  },
  {
    name: 'OTLP traces, JSON',
    unit: 'spans per CPU second',
    table: 'spans',
    total: SPANS,
    path: '/v1/traces',
    type: 'application/json',
    bodies: () => batches(SPANS, 2000, spansInJson),
  },
  {
    name: 'Loki push, protobuf',
    unit: 'lines per CPU second',
    table: 'logs',
    total: LINES,
    path: '/loki/api/v1/push',
    type: 'application/x-protobuf',
    bodies: () => batches(LINES, 4000, linesInProtobuf),
  },
  {
    name: 'Loki push, JSON',
    unit: 'lines per CPU second',
    table: 'logs',
    total: LINES,
    path: '/loki/api/v1/push',
    type: 'application/json',
    bodies: () => batches(LINES, 4000, linesInJson),
  },
];

/** Spans and log lines, from bytes on the wire to rows that can be searched: redacted, placed, on disk and merged into the tables. */
export async function benchSignals(machine: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const load of LOADS) {
    const server = await startTrifocal();
    try {
      console.log(`Trifocal: ${load.total.toLocaleString('en')} ${load.table} by ${load.name} …`);
      const { perCpuSecond, bytesEach } = await measure(server, load);
      const { name } = load;
      figures.push({ name, unit: load.unit, trifocal: Math.round(perCpuSecond), machine });
      figures.push({ name, unit: 'bytes each on disk', trifocal: Math.round(bytesEach), machine });
    } finally {
      await server.stop();
    }
  }
  return figures;
}

async function measure(server: { http: string; pid: number }, load: Load) {
  const before = cpuSeconds(server.pid);
  // Drawn by all senders in turn; made while others wait for their answers.
  const bodies = load.bodies()[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let next = bodies.next(); !next.done; next = bodies.next())
        await post(server.http + load.path, load.type, next.value);
    }),
  );
  const stored = await waitFor(`all ${load.table}`, () => enough(server.http, load), 180);
  return { perCpuSecond: load.total / (cpuSeconds(server.pid) - before), bytesEach: stored.bytes / stored.rows };
}

async function post(url: string, type: string, body: Buffer): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
}

async function enough(base: string, { table, total }: Load): Promise<{ rows: number; bytes: number } | undefined> {
  const answer = (await (await fetch(`${base}/api/telemetry`)).json()) as {
    tables: { name: string; rows: number; bytes: number }[];
  }; // the contract's shape
  const found = answer.tables.find(({ name }) => name === table);
  return found !== undefined && found.rows >= total ? found : undefined;
}

function* batches(total: number, each: number, body: (from: number, to: number) => Buffer): Generator<Buffer> {
  for (let from = 0; from < total; from += each) yield body(from, Math.min(total, from + each));
}

interface BenchSpan {
  traceId: string;
  spanId: string;
  name: string;
  startNs: bigint;
  endNs: bigint;
  attributes: [string, string][];
}

function spanOf(id: number): BenchSpan {
  const startNs = BigInt(Date.now() - 60_000) * 1_000_000n + BigInt(id * 1000);
  return {
    traceId: (id >> 2).toString(16).padStart(32, 'a'),
    spanId: id.toString(16).padStart(16, 'b'),
    name: `GET /v1/things/${id % 30}`,
    startNs,
    endNs: startNs + 20_000_000n,
    attributes: Array.from({ length: 8 }, (_, a) => [`attribute.${a}`, `value ${(id * (a + 1)) % 1000}`]),
  };
}

const RESOURCE: [string, string][] = [
  ['service.name', 'bench'],
  ['k8s.cluster.name', 'bench'],
];

function spansInJson(from: number, to: number): Buffer {
  const pairs = (attributes: [string, string][]) =>
    attributes.map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const spans = numbers(from, to)
    .map(spanOf)
    .map(({ startNs, endNs, attributes, ...span }) => ({
      ...span,
      kind: 2,
      startTimeUnixNano: String(startNs),
      endTimeUnixNano: String(endNs),
      attributes: pairs(attributes),
    }));
  return Buffer.from(
    JSON.stringify({ resourceSpans: [{ resource: { attributes: pairs(RESOURCE) }, scopeSpans: [{ spans }] }] }),
  );
}

function spansInProtobuf(from: number, to: number): Buffer {
  const pair = ([key, value]: [string, string]) => Buffer.concat([field(1, key), field(2, field(1, value))]);
  const spans = numbers(from, to)
    .map(spanOf)
    .map((span) =>
      field(
        2,
        Buffer.concat([
          field(1, Buffer.from(span.traceId, 'hex')),
          field(2, Buffer.from(span.spanId, 'hex')),
          field(5, span.name),
          varintField(6, 2n),
          fixed64Field(7, span.startNs),
          fixed64Field(8, span.endNs),
          ...span.attributes.map((attribute) => field(9, pair(attribute))),
        ]),
      ),
    );
  const resource = field(1, Buffer.concat(RESOURCE.map((attribute) => field(1, pair(attribute)))));
  return field(1, Buffer.concat([resource, field(2, Buffer.concat(spans))]));
}

function lineOf(id: number): { timeNs: bigint; text: string } {
  return {
    timeNs: BigInt(Date.now() - 60_000) * 1_000_000n + BigInt(id),
    text: `INFO request id=req-${id} path=/v1/chat/completions status=200 took=${id % 977} ms user=user-${id % 5000}`,
  };
}

function linesInJson(from: number, to: number): Buffer {
  const values = numbers(from, to)
    .map(lineOf)
    .map(({ timeNs, text }) => [String(timeNs), text]);
  const stream = { cluster: 'bench', namespace: 'inference', pod: `pod-${from % 7}`, container: 'app' };
  return Buffer.from(JSON.stringify({ streams: [{ stream, values }] }));
}

function linesInProtobuf(from: number, to: number): Buffer {
  const labels = `{cluster="bench", container="app", namespace="inference", pod="pod-${from % 7}"}`;
  const entries = numbers(from, to)
    .map(lineOf)
    .map(({ timeNs, text }) => {
      const time = Buffer.concat([varintField(1, timeNs / 1_000_000_000n), varintField(2, timeNs % 1_000_000_000n)]);
      return field(2, Buffer.concat([field(1, time), field(2, text)]));
    });
  return compressSync(field(1, Buffer.concat([field(1, labels), ...entries])));
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
