import type { Registry } from 'prom-client';
import type { Clock, Logger } from '../base/index.ts';
import { batchCounts, type SignalBatch } from '../model/index.ts';
import { createRepetitions, type Repetitions } from './identity/index.ts';
import {
  type AcceptedTimes,
  type CardinalityLimits,
  createCardinalityLimiter,
  createPipeline,
  createRedactor,
  defaultAcceptedTimes,
  defaultCardinalityLimits,
  defaultRedaction,
  type RedactionOptions,
} from './pipeline/index.ts';
import { BackPressureError, type RequestMark, type SignalSink } from './sink.ts';
import type { SpoolWriter } from './spool/index.ts';
import { createIngestLog, type IngestTelemetry } from './telemetry.ts';

/** What may be set from outside; plain data. */
export interface IngestSettings {
  accept?: AcceptedTimes;
  limits?: Partial<CardinalityLimits>;
  redaction?: Partial<RedactionOptions>;
}

export interface IngestOptions extends IngestSettings {
  spool: Pick<SpoolWriter, 'append'>;
  clock: Clock;
  logger: Logger;
  /** Requests that earlier processes took in: a repetition of one stores nothing. */
  recentRequests?: readonly RequestMark[];
}

export interface Ingest {
  sink: SignalSink;
  /** For the doors, so that a request which is repeated is stored once. */
  repetitions: Repetitions;
  /** Who delivers and how, and what was dropped and why: for `GET /api/telemetry`. */
  telemetry(): IngestTelemetry;
  /** Series seen within the last one to two hours. */
  activeSeries(): number;
  metrics: Registry;
}

/** The way from receivers to the spool: every batch goes through the pipeline, is counted, and is durable when `accept` resolves. */
export function createIngest(options: IngestOptions): Ingest {
  const { spool, clock, logger } = options;
  const log = createIngestLog(clock);
  const redactor = createRedactor({ ...defaultRedaction, ...options.redaction });
  const limiter = createCardinalityLimiter({ ...defaultCardinalityLimits, ...options.limits }, clock);
  const pipeline = createPipeline({ clock, accept: options.accept ?? defaultAcceptedTimes, redactor, limiter });

  const recent = options.recentRequests ?? [];
  const repetitions = createRepetitions({ clock, recent, onRepeated: log.repeated });

  const sink: SignalSink = {
    async accept(raw, origin) {
      if (origin.request !== undefined && repetitions.isRepetition(origin.request)) return { rejected: [] };
      // A body whose signals took their times from its arrival is another one each time it comes.
      const request = raw.arrivalTimed === true ? undefined : origin.request;
      const { batch, rejected, changed } = await pipeline.run(raw, origin);
      if (!isEmpty(batch)) {
        try {
          await spool.append(batch, request);
          if (request !== undefined) repetitions.stored(request);
        } catch (error) {
          // Refused is not lost, as senders come again; the count shows how often they had to.
          if (error instanceof BackPressureError) log.refused(batch, origin, error.message);
          throw error;
        }
      }
      log.delivered(batch, origin);
      const redacted = <T extends { example: string }>(one: T): T => ({ ...one, example: redactor.text(one.example) });
      const clean = rejected.map(redacted);
      for (const rejection of [...clean, ...changed.map(redacted)]) log.dropped(rejection, origin);
      return { rejected: clean };
    },
    drop(rejection, origin) {
      const clean = { ...rejection, example: redactor.text(rejection.example) };
      if (clean.reason === 'unreadable' || clean.reason === 'oversize') log.unreadable(clean, origin);
      else log.dropped(clean, origin);
      logger.debug({ ...origin, ...clean }, 'dropped before decoding');
    },
  };

  return { sink, repetitions, telemetry: log.state, activeSeries: limiter.active, metrics: log.registry };
}

function isEmpty(batch: SignalBatch): boolean {
  const signals = Object.values(batchCounts(batch)).reduce((sum, count) => sum + count, 0);
  return signals + (batch.metadata?.length ?? 0) === 0;
}
