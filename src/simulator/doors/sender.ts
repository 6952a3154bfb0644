import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { compress } from 'snappy';
import { type Clock, createSemaphore } from '../../base/index.ts';
import type { LogLine, SpanRecord } from '../telemetry/signals.ts';
import { encodePush } from './loki-push.ts';
import { encodeTraces } from './otlp-traces.ts';
import { post } from './post.ts';
import { encodeWriteRequest, type SampleRun } from './remote-write.ts';

const gzipped = promisify(gzip);

const SERIES_PER_REQUEST = 500;
const SPANS_PER_REQUEST = 2000;
const LINES_PER_REQUEST = 5000;
const CONCURRENT = 4;

export interface Sent {
  samples: number;
  spans: number;
  lines: number;
}

/** Delivers signals through Trifocal's public doors, a few requests at a time. */
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
  const slots = createSemaphore(CONCURRENT);
  const sent: Sent = { samples: 0, spans: 0, lines: 0 };

  const deliver = (
    kind: keyof Sent,
    count: number,
    url: string,
    headers: Record<string, string>,
    body: () => Promise<Uint8Array>,
  ) =>
    slots.run(async () => {
      await post({ url, headers, body: await body(), clock, signal });
      sent[kind] += count;
    }, signal);

  return {
    sent,
    async samples(runs) {
      await Promise.all(
        slices(runs, SERIES_PER_REQUEST).map((part) => {
          const encoded = encodeWriteRequest(part);
          const count = part.reduce((sum, run) => sum + run.length, 0);
          return deliver('samples', count, `${options.trifocal}/prometheus/api/v1/write`, REMOTE_WRITE, () =>
            compress(encoded),
          );
        }),
      );
    },
    async spans(spans) {
      await Promise.all(
        slices(spans, SPANS_PER_REQUEST).map((part) =>
          deliver('spans', part.length, `${options.otlp}/v1/traces`, OTLP, () => gzipped(encodeTraces(part))),
        ),
      );
    },
    async lines(lines) {
      await Promise.all(
        slices(lines, LINES_PER_REQUEST).map((part) =>
          deliver('lines', part.length, `${options.trifocal}/loki/api/v1/push`, LOKI, () =>
            compress(Buffer.from(encodePush(part))),
          ),
        ),
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
