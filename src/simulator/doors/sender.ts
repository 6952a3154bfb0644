import { setMaxListeners } from 'node:events';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { compress } from 'snappy';
import { type Clock, createSemaphore, type Semaphore } from '../../base/index.ts';
import type { LogLine, SpanRecord } from '../telemetry/signals.ts';
import { encodePush } from './loki-push.ts';
import { encodeTraces } from './otlp-traces.ts';
import { post } from './post.ts';
import { encodeWriteRequest, type SampleRun } from './remote-write.ts';

const gzipped = promisify(gzip);

const SERIES_PER_REQUEST = 500;
const SPANS_PER_REQUEST = 2000;
const LINES_PER_REQUEST = 5000;
/** Remote write goes through this many queues; a series keeps to one, so its samples arrive in order. */
const SHARDS = 4;

export interface Sent {
  samples: number;
  spans: number;
  lines: number;
}

/** Delivers signals through Trifocal's public doors, in order where order counts, a few requests at a time. */
export interface Sender {
  /** Encodes before it returns, so the columns may be used again; resolves when all of it is acknowledged. */
  samples(runs: readonly SampleRun[]): Promise<void>;
  spans(spans: readonly SpanRecord[]): Promise<void>;
  lines(lines: readonly LogLine[]): Promise<void>;
  /** What was acknowledged so far. */
  readonly sent: Readonly<Sent>;
}

export function createSender(options: { trifocal: string; otlp: string; clock: Clock; signal: AbortSignal }): Sender {
  const { clock, signal } = options;
  setMaxListeners(0, signal); // every request that waits listens to it
  const sampleQueues = Array.from({ length: SHARDS }, () => createSemaphore(1));
  const spanQueue = createSemaphore(1);
  const lineQueue = createSemaphore(1);
  const sent: Sent = { samples: 0, spans: 0, lines: 0 };

  /** `body` is already being made, so that what waits for its turn is small. */
  const deliver = (
    queue: Semaphore,
    kind: keyof Sent,
    count: number,
    to: { url: string; headers: Record<string, string> },
    body: Promise<Uint8Array>,
  ) =>
    queue.run(async () => {
      await post({ ...to, body: await body, clock, signal });
      sent[kind] += count;
    }, signal);

  const remoteWrite = { url: `${options.trifocal}/prometheus/api/v1/write`, headers: REMOTE_WRITE };
  const loki = { url: `${options.trifocal}/loki/api/v1/push`, headers: LOKI };
  const traces = { url: `${options.otlp}/v1/traces`, headers: OTLP };

  return {
    sent,
    async samples(runs) {
      const deliveries = sampleQueues.flatMap((queue, shard) => {
        const own = runs.filter((run) => run.shard % SHARDS === shard);
        return slices(own, SERIES_PER_REQUEST).map((part) => {
          const count = part.reduce((sum, run) => sum + run.length, 0);
          return deliver(queue, 'samples', count, remoteWrite, compress(encodeWriteRequest(part)));
        });
      });
      await Promise.all(deliveries);
    },
    async spans(spans) {
      const parts = slices(spans, SPANS_PER_REQUEST);
      await Promise.all(
        parts.map((part) => deliver(spanQueue, 'spans', part.length, traces, gzipped(encodeTraces(part)))),
      );
    },
    async lines(lines) {
      const parts = slices(lines, LINES_PER_REQUEST);
      await Promise.all(
        parts.map((part) => deliver(lineQueue, 'lines', part.length, loki, compress(Buffer.from(encodePush(part))))),
      );
    },
  };
}

const REMOTE_WRITE = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
  'user-agent': 'trifocal-simulator',
};
const OTLP = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'gzip',
  'user-agent': 'trifocal-simulator',
};
const LOKI = { 'content-type': 'application/x-protobuf', 'user-agent': 'trifocal-simulator' };

function slices<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < items.length; i += size) parts.push(items.slice(i, i + size));
  return parts;
}
