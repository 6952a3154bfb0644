import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../../base/index.ts';
import { formatLabels, type SampleBatch, type SignalBatch } from '../../model/index.ts';
import { createAdmission, type DoorService, httpDoors, openDoors, type Receiver } from '../doors/index.ts';
import { createIngest } from '../ingest.ts';
import { BackPressureError, type SignalSink } from '../sink.ts';
import type { IngestTelemetry } from '../telemetry.ts';
import type { ReceiverOptions } from './options.ts';

/**
 * What every receiver must do, whatever its protocol: good input arrives exactly; malformed input gets the protocol's
 * code and a text that says where; what is too large is refused with bounded memory; back-pressure is said in the
 * protocol's own words. A receiver's test describes its door in these terms and runs the suite.
 */
export interface Door {
  /** Sends one body as the protocol would, and says what came back. */
  send(body: Buffer, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  /** Status code, gRPC code, or `up` of a scrape. */
  code: number;
  text: string;
  retryAfterSeconds?: number;
  /** Of an HTTP answer. */
  headers?: Headers;
}

export interface Contract {
  open(options: ReceiverOptions): Promise<Door>;
  /** Times in it are `nowMs`. */
  good: { body: Buffer; headers?: Record<string, string>; code: number; arrives: (batches: SignalBatch[]) => void };
  malformed: { title: string; body: Buffer; headers?: Record<string, string>; code: number; text: RegExp }[];
  /** Bodies larger than `LIMIT`, as they are or after decompression. */
  tooLarge: { title: string; body: Buffer; headers?: Record<string, string>; code: number }[];
  /** Content types that a web page could send to a loopback address unasked. */
  simpleTypes?: { code: number };
  busy: { code: number; retries: boolean };
}

export const LIMIT = 64 * 1024;
export const nowMs = 1_760_000_000_000;
export const nowNs = BigInt(nowMs) * 1_000_000n;

export function describeReceiver(name: string, contract: Contract): void {
  describe(`${name} keeps the receivers' contract`, () => {
    let door: Door | undefined;
    afterEach(async () => {
      await door?.close();
      door = undefined;
    });
    const open = async (ingest: TestIngest) => {
      door = await contract.open({
        sink: ingest.sink,
        clock: ingest.clock,
        logger: silentLogger,
        limits: { maxBodyBytes: LIMIT },
      });
      return door;
    };

    it('good input arrives exactly', async () => {
      const ingest = collect();
      const { send } = await open(ingest);
      const answer = await send(contract.good.body, contract.good.headers);
      expect(answer).toMatchObject({ code: contract.good.code });
      contract.good.arrives(ingest.batches);
      expect(ingest.telemetry().dropped).toEqual([]);
    });

    it.each(contract.malformed)('malformed: $title', async ({ body, headers, code, text }) => {
      const ingest = collect();
      const { send } = await open(ingest);
      const answer = await send(body, headers);
      expect(answer.text).toMatch(text);
      expect(answer.code).toBe(code);
      const dropped = ingest.telemetry().dropped.reduce((sum, drop) => sum + drop.count, 0);
      expect(dropped).toBeGreaterThan(0);
      // The door still works.
      expect(await send(contract.good.body, contract.good.headers)).toMatchObject({ code: contract.good.code });
    });

    it.each(contract.tooLarge)('too large: $title', async ({ body, headers, code }) => {
      const ingest = collect();
      const { send } = await open(ingest);
      const memory = watchMemory();
      const answer = await send(body, headers);
      expect(memory.peak()).toBeLessThan(64 * 1024 * 1024);
      expect(answer.code).toBe(code);
      expect(ingest.batches.filter((batch) => batch.logs ?? batch.spans)).toEqual([]);
      expect(await send(contract.good.body, contract.good.headers)).toMatchObject({ code: contract.good.code });
    });

    if (contract.simpleTypes !== undefined) {
      const { code } = contract.simpleTypes;
      it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
        'a browser cannot post across origins as "%s"',
        async (type) => {
          const ingest = collect();
          const { send } = await open(ingest);
          const answer = await send(contract.good.body, { ...contract.good.headers, 'content-type': type });
          expect(answer.code).toBe(code);
          expect(ingest.batches).toEqual([]);
        },
      );
    }

    it('a busy store is answered in the protocol’s words, and nothing is lost when the sender comes again', async () => {
      const ingest = collect();
      const { send } = await open(ingest);
      ingest.refuseWith(new BackPressureError('the spool is full', 7));
      const refused = await send(contract.good.body, contract.good.headers);
      expect(refused.code).toBe(contract.busy.code);
      if (contract.busy.retries) expect(refused.retryAfterSeconds).toBe(7);
      expect(ingest.telemetry().dropped).toContainEqual(expect.objectContaining({ reason: 'refused_backpressure' }));
      expect(ingest.batches).toEqual([]);
      if (!contract.busy.retries) return;
      ingest.refuseWith(undefined);
      expect(await send(contract.good.body, contract.good.headers)).toMatchObject({ code: contract.good.code });
      contract.good.arrives(ingest.batches);
    });
  });
}

export interface TestIngest {
  sink: SignalSink;
  clock: Clock;
  batches: SignalBatch[];
  refuseWith(error: Error | undefined): void;
  telemetry(): IngestTelemetry;
}

/** The real pipeline in front of a spool that only collects; its clock says `nowMs` for ever. */
export function collect(clock: Clock = { ...systemClock, now: () => nowMs }): TestIngest {
  const batches: SignalBatch[] = [];
  let refusal: Error | undefined;
  const ingest = createIngest({
    clock,
    logger: silentLogger,
    spool: {
      async append(batch) {
        if (refusal !== undefined) throw refusal;
        batches.push(batch);
      },
    },
  });
  return {
    sink: ingest.sink,
    clock,
    batches,
    telemetry: ingest.telemetry,
    refuseWith(error) {
      refusal = error;
    },
  };
}

/** The doors of a receiver on the real server glue. */
export function carried(receiver: Receiver<ReceiverOptions>, options: ReceiverOptions) {
  const service: DoorService = openDoors([receiver], options);
  const maxBodyBytes = options.limits?.maxBodyBytes ?? LIMIT;
  const admission = createAdmission({ maxBytes: 64 * maxBodyBytes, concurrency: 8 });
  return { service, admission, maxBodyBytes, logger: silentLogger };
}

/** Opens a receiver's HTTP doors and sends to one of them, with the headers that a body of it usually has. */
export async function openHttp(
  receiver: Receiver<ReceiverOptions>,
  options: ReceiverOptions,
  url: string,
  usualHeaders: Record<string, string>,
  through = carried(receiver, options),
): Promise<Door> {
  const app = Fastify();
  await app.register(httpDoors(receiver.doors, through));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    async send(body, headers = {}) {
      const given = Object.entries({ ...usualHeaders, ...headers }).filter(([, value]) => value !== '');
      const response = await fetch(`${address}${url}`, { method: 'POST', body: new Uint8Array(body), headers: given });
      const text = await response.text();
      const retryAfter = response.headers.get('retry-after');
      return {
        code: response.status,
        text,
        headers: response.headers,
        ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
      };
    },
    close: () => app.close(),
  };
}

/** About 60 MB of zeros in a body that is just small enough to be looked at. */
export function gzipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(1024 * 1024), { level: 9 });
  return Buffer.concat(Array.from({ length: 80 }, () => member)).subarray(0, LIMIT - 1);
}

/** The samples of batches in Prometheus' notation, one a line. */
export function sampleLines(batches: readonly SignalBatch[]): string[] {
  const linesOf = (samples: SampleBatch | undefined) =>
    Array.from(samples?.values ?? [], (value, i) => {
      const series = samples?.series[samples.seriesOf[i] ?? -1];
      return `${formatLabels(series?.labels ?? [])} ${value} @${samples?.timesMs[i]}`;
    });
  return batches.flatMap(({ samples, lateSamples }) => [...linesOf(samples), ...linesOf(lateSamples)]);
}

function watchMemory(): { peak(): number } {
  const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  const before = used();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, used());
  }, 2);
  return {
    peak() {
      clearInterval(timer);
      return Math.max(peak, used()) - before;
    },
  };
}
