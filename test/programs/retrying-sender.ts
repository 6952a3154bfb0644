import { Client, credentials } from '@grpc/grpc-js';
import { field, fixed64Field, varintField } from './protobuf.ts';
import { REMOTE_WRITE_HEADERS, remoteWriteBody } from './remote-write.ts';
import type { RunningTrifocal } from './trifocal.ts';

/** A way in, and what goes through it. Every request carries one item, whose number can be found again. */
export interface SendingDoor {
  name: string;
  signal: 'samples' | 'logs' | 'spans';
  /** Sends the item, with a time of its own that a repetition repeats. Resolves with whether it was acknowledged; never rejects. */
  send(server: RunningTrifocal, item: Item): Promise<boolean>;
}

export interface Item {
  number: number;
  timeMs: number;
}

/** The metric, the line or the span's name under which a door's items are stored. */
export const metricOf = (door: string) => `crash_${door.replaceAll('-', '_')}`;
export const lineOf = (door: string, number: number) => `line ${door} ${number} end`;
export const spanOf = (door: string, number: number) => `span ${door} ${number}`;

const CLUSTER = 'crash';

export const sendingDoors: readonly SendingDoor[] = [
  {
    name: 'remote-write',
    signal: 'samples',
    send: (server, { number, timeMs }) => {
      const labels = { __name__: metricOf('remote-write'), cluster: CLUSTER, shard: String(number % 5) };
      const body = remoteWriteBody([{ labels, samples: [{ value: number, timeMs }] }]);
      return post(`${server.http}/prometheus/api/v1/write`, REMOTE_WRITE_HEADERS, body);
    },
  },
  {
    name: 'loki',
    signal: 'logs',
    send: (server, { number, timeMs }) => {
      const stream = { cluster: CLUSTER, pod: 'p' };
      const values = [[`${timeMs}000000`, lineOf('loki', number)]];
      return post(`${server.http}/loki/api/v1/push`, JSON_HEADERS, JSON.stringify({ streams: [{ stream, values }] }));
    },
  },
  {
    name: 'fluent-bit',
    signal: 'logs',
    send: (server, { number, timeMs }) => {
      const record = { date: timeMs / 1000, log: lineOf('fluent-bit', number), cluster: CLUSTER, pod: 'p' };
      return post(`${server.http}/ingest/fluentbit`, JSON_HEADERS, JSON.stringify([record]));
    },
  },
  ...(['metrics', 'logs', 'traces'] as const).flatMap((kind): SendingDoor[] => {
    const signal = kind === 'metrics' ? 'samples' : kind === 'logs' ? 'logs' : 'spans';
    return [
      {
        name: `otlp-http-${kind}`,
        signal,
        send: (server, item) =>
          post(`${server.otlpHttp}/v1/${kind}`, PROTOBUF_HEADERS, otlp(kind, `otlp-http-${kind}`, item)),
      },
      {
        name: `otlp-grpc-${kind}`,
        signal,
        send: (server, item) => call(server.otlpGrpc, GRPC_METHODS[kind], otlp(kind, `otlp-grpc-${kind}`, item)),
      },
    ];
  }),
];

/** Sends the item until it is acknowledged, as senders do, or until `isOver`. Resolves with whether it was, and the tries. */
export async function sendUntilAcknowledged(
  door: SendingDoor,
  item: Item,
  server: () => RunningTrifocal,
  isOver: () => boolean,
): Promise<{ acknowledged: boolean; tries: number }> {
  for (let tries = 1; ; tries++) {
    if (await door.send(server(), item)) return { acknowledged: true, tries };
    if (isOver()) return { acknowledged: false, tries };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const PROTOBUF_HEADERS = { 'content-type': 'application/x-protobuf' };

async function post(url: string, headers: Record<string, string>, body: string | Buffer): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false; // nobody is there, or it died before it answered
  }
}

const GRPC_METHODS = {
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
};
const clients = new Map<string, Client>();

function call(address: string, method: string, body: Buffer): Promise<boolean> {
  let client = clients.get(address);
  if (client === undefined) {
    client = new Client(address, credentials.createInsecure());
    clients.set(address, client);
  }
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(method, same, same, body, { deadline: Date.now() + 10_000 }, (error) => resolve(!error));
  });
}

/** An export request with one item, encoded here and not by the code under test. */
function otlp(kind: 'metrics' | 'logs' | 'traces', door: string, { number, timeMs }: Item): Buffer {
  const timeNs = BigInt(timeMs) * 1_000_000n;
  const attribute = (key: string, value: string) => Buffer.concat([field(1, key), field(2, field(1, value))]);
  const resource = Buffer.concat([
    field(1, attribute('service.name', 'crash')),
    field(1, attribute('service.instance.id', door)),
    field(1, attribute('k8s.cluster.name', CLUSTER)),
  ]);
  const items = {
    metrics: () => {
      const point = Buffer.concat([
        fixed64Field(3, timeNs),
        double(4, number),
        field(7, attribute('shard', String(number % 5))),
      ]);
      return Buffer.concat([field(1, metricOf(door)), field(5, field(1, point))]);
    },
    logs: () => Buffer.concat([fixed64Field(1, timeNs), field(5, field(1, lineOf(door, number)))]),
    traces: () => {
      const id = Buffer.from(number.toString(16).padStart(32, '1'), 'hex');
      const times = [fixed64Field(7, timeNs), fixed64Field(8, timeNs + 1000n)];
      return Buffer.concat([
        field(1, id),
        field(2, id.subarray(8)),
        field(5, spanOf(door, number)),
        varintField(6, 2n),
        ...times,
      ]);
    },
  };
  return field(1, Buffer.concat([field(1, resource), field(2, field(2, items[kind]()))]));
}

function double(number: number, value: number): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeDoubleLE(value);
  return fixed64Field(number, bits.readBigUInt64LE());
}
