import { Worker } from 'node:worker_threads';
import { type Backoff, backoffDelay, type Clock, type Logger } from '../../base/index.ts';
import { entryThread, type LoopDelay } from '../../base/node/index.ts';
import type { DoorAnswer, DoorRequest, Failure } from '../doors/index.ts';
import type { IngestService, IngestServiceSettings } from '../service.ts';
import { type AcceptResult, BackPressureError, type BatchOrigin, type Rejection } from '../sink.ts';
import type { Spool } from '../spool/index.ts';
import type { IngestTelemetry } from '../telemetry.ts';
import { type Line, openLine } from './calls.ts';
import { createSeriesPacker, type PackedBatch } from './series-ids.ts';

/** What the thread answers. */
export type ThreadMethods = {
  handle(request: DoorRequest): Promise<DoorAnswer>;
  refused(door: string, failure: Failure, sender: string): void;
  accept(batch: PackedBatch, origin: BatchOrigin): Promise<AcceptResult>;
  drop(rejection: Rejection, origin: BatchOrigin): void;
  telemetry(): Promise<IngestTelemetry>;
  activeSeries(): Promise<number>;
  cardinality: IngestService['cardinality'];
  redaction: IngestService['redaction'];
  explainRedaction: IngestService['explainRedaction'];
  metrics(): Promise<string>;
  loopDelay(): Promise<LoopDelay>;
  forget(): void;
};

/** What the main thread answers. */
export type HostMethods = {
  append: Spool['append'];
  takenIn: Spool['takenIn'];
  newestSamples: Spool['newestSamples'];
  log(level: keyof Logger, fields: object, message: string): void;
};

export interface IngestThread extends IngestService {
  /** Acknowledged rows were lost: series are introduced again. */
  forget(): void;
  /** Requests and batches that are being worked on. */
  underWay(): number;
  close(): Promise<void>;
}

const RESTART: Backoff = { firstMs: 100, maxMs: 5_000, factor: 2 };
const RETRY_AFTER_SECONDS = 2;
/** What is decoded lives until it is encoded: with room for several requests, hardly any of it is copied as survivors. */
const YOUNG_MIB = 96;
/** A thread that lived this long did not fail because of how it was started. */
const HEALTHY_AFTER_MS = 60_000;

/**
 * Runs the ingest service in a thread of its own, so that decoding never holds up a query or a page. A thread that dies is
 * started again; who was waiting for it is asked to try again, since what was acknowledged is in the spool already.
 */
export function startIngestThread(options: {
  settings: IngestServiceSettings;
  spool: Pick<Spool, 'append' | 'takenIn' | 'newestSamples'>;
  clock: Clock;
  logger: Logger;
}): IngestThread {
  const { settings, spool, clock, logger } = options;
  const entry = entryThread({ bundle: 'ingest', source: 'src/ingest/thread/main.ts' });
  const closing = new AbortController();
  const methods: HostMethods = {
    append: spool.append,
    takenIn: spool.takenIn,
    newestSamples: spool.newestSamples,
    log: (level, fields, message) => logger[level](fields, message),
  };
  let line: Line<ThreadMethods>;
  let worker: Worker;
  let pack: ReturnType<typeof createSeriesPacker>;
  let failures = 0;
  let underWay = 0;
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    underWay++;
    try {
      return await call;
    } finally {
      underWay--;
    }
  };

  const start = () => {
    const startedAt = clock.monotonic();
    const started = new Worker(entry.code, {
      ...entry.options,
      workerData: settings,
      name: 'ingest',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    const opened = openLine<ThreadMethods>(started, methods);
    worker = started;
    line = opened;
    pack = createSeriesPacker();
    started.once('error', (error) => logger.error({ error: error.stack ?? String(error) }, 'the ingest thread failed'));
    started.once('exit', (code) => {
      opened.cut(new BackPressureError('ingest is being restarted', RETRY_AFTER_SECONDS));
      if (closing.signal.aborted) return;
      logger.error({ code }, 'the ingest thread ended, it is started again');
      failures = clock.monotonic() - startedAt > HEALTHY_AFTER_MS ? 1 : failures + 1;
      startLater();
    });
  };
  const startLater = () => {
    clock.sleep(backoffDelay(RESTART, failures, Math.random()), closing.signal).then(
      () => {
        try {
          start();
        } catch (error) {
          logger.error({ error: String(error) }, 'the ingest thread cannot be started, trying again');
          failures++;
          startLater();
        }
      },
      () => {}, // closing
    );
  };
  start();

  return {
    handle: (request) => counted(line.remote.handle(request)),
    refused: (door, failure, sender) => forgetful(line.remote.refused(door, failure, sender)),
    sink: {
      accept: (batch, origin) => counted(line.remote.accept(pack(batch), origin)),
      drop: (rejection, origin) => forgetful(line.remote.drop(rejection, origin)),
    },
    telemetry: () => line.remote.telemetry(),
    activeSeries: () => line.remote.activeSeries(),
    cardinality: (clusters) => line.remote.cardinality(clusters),
    redaction: () => line.remote.redaction(),
    explainRedaction: (text) => line.remote.explainRedaction(text),
    metrics: () => line.remote.metrics(),
    loopDelay: () => line.remote.loopDelay(),
    forget: () => forgetful(line.remote.forget()),
    underWay: () => underWay,
    async close() {
      closing.abort();
      await worker.terminate();
    },
  };

  /** Counts that a dying thread takes along are lost with the others it kept. */
  function forgetful(call: Promise<unknown>): void {
    call.catch((error) => logger.debug({ error: String(error) }, 'the ingest thread missed a message'));
  }
}
