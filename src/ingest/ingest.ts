import type { Registry } from 'prom-client';
import type { Clock, Logger } from '../base/index.ts';
import { batchCounts, type SignalBatch } from '../model/index.ts';
import type { NewestSamples } from '../store/index.ts';
import { createRecentSamples, createRepetitions, type Repetitions } from './identity/index.ts';
import {
  type AcceptedTimes,
  type CardinalityLimits,
  type CardinalityReport,
  createCardinalityLimiter,
  createPipeline,
  createRateLimiter,
  createRedactor,
  defaultAcceptedTimes,
  defaultCardinalityLimits,
  defaultRateLimits,
  type LogLimits,
  type RateLimits,
  type RedactionMatch,
  type RedactionOptions,
  type RuleState,
} from './pipeline/index.ts';
import { BackPressureError, type BatchOrigin, type Rejection, type SignalSink } from './sink.ts';
import type { SpoolWriter, TakenIn } from './spool/index.ts';
import { createIngestLog, type IngestTelemetry } from './telemetry.ts';

/** What may be set from outside; plain data. */
export interface IngestSettings {
  accept?: AcceptedTimes;
  limits?: Partial<CardinalityLimits>;
  redaction?: Partial<RedactionOptions>;
  lines?: Partial<LogLimits>;
  rates?: Partial<RateLimits>;
}

export interface IngestOptions extends IngestSettings {
  spool: Pick<SpoolWriter, 'append'>;
  clock: Clock;
  logger: Logger;
  /** What earlier processes took in: a repetition stores nothing. */
  takenIn?: TakenIn;
}

export interface Ingest {
  sink: SignalSink;
  /** To be called once, when `takenIn` did not say how new the stored samples are. */
  learn(stored: NewestSamples): void;
  /** For the doors, so that a request which is repeated is stored once. */
  repetitions: Repetitions;
  /** Who delivers and how, and what was dropped and why: for `GET /api/telemetry`. */
  telemetry(): IngestTelemetry;
  /** Series seen within the last one to two hours. */
  activeSeries(): number;
  /** Of these clusters, or of all: how many series there are and what limits refused. */
  cardinality(clusters?: readonly string[]): CardinalityReport;
  /** The redaction rules and how often each hid something. */
  redaction(): RuleState[];
  /** What would be written of a text, and where what was hidden. */
  explainRedaction(text: string): { text: string; matches: RedactionMatch[] };
  /** Throws RateLimitError while the sender has more than its share. */
  admit(what: { sender: string; protocol: BatchOrigin['protocol']; signal: Rejection['signal']; bytes: number }): void;
  metrics: Registry;
}

/** The way from receivers to the spool: every batch goes through the pipeline, is counted, and is durable when `accept` resolves. */
export function createIngest(options: IngestOptions): Ingest {
  const { spool, clock, logger, lines = {} } = options;
  const log = createIngestLog(clock);
  const redactor = createRedactor(options.redaction, clock);
  const rates = createRateLimiter({ ...defaultRateLimits, ...options.rates }, clock);
  const limiter = createCardinalityLimiter({ ...defaultCardinalityLimits, ...options.limits }, clock);
  const pipeline = createPipeline({ clock, accept: options.accept ?? defaultAcceptedTimes, redactor, limiter, lines });

  const takenIn = options.takenIn ?? { requests: [], samples: { newestMs: Number.NEGATIVE_INFINITY, ahead: [] } };
  const repetitions = createRepetitions({ clock, recent: takenIn.requests, onRepeated: log.repeated });
  const recentSamples = createRecentSamples({
    clock,
    // Those that are silent for a while are remembered, too, as long as there is room.
    maxSeries: 2 * (options.limits?.series ?? defaultCardinalityLimits.series),
  });
  if (takenIn.samples !== undefined) recentSamples.learn(takenIn.samples);

  const sink: SignalSink = {
    async accept(raw, origin) {
      if (origin.request !== undefined && repetitions.isRepetition(origin.request)) {
        return { rejected: [], stored: false };
      }
      // A body whose signals took their times from its arrival is another one each time it comes.
      const request = raw.arrivalTimed === true ? undefined : origin.request;
      if (origin.request !== undefined && origin.sender !== undefined) rates.charge(origin.sender, batchCounts(raw));
      const { batch, rejected, changed } = await pipeline.run(raw, origin);
      // Nothing waits between this and the append, so that batches are on disk in the order in which samples were judged.
      const samples = batch.samples && recentSamples.identify(batch.samples);
      if (samples !== undefined) {
        batch.samples = samples.fresh;
        if (samples.late !== undefined) batch.lateSamples = samples.late;
        if (samples.rejected !== undefined) rejected.push(samples.rejected);
      }
      if (isEmpty(batch)) samples?.settle('on disk');
      else {
        try {
          await spool.append(batch, request);
          samples?.settle('on disk');
          if (request !== undefined) repetitions.stored(request);
        } catch (error) {
          samples?.settle('refused');
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
      if (OF_WHOLE_REQUESTS.has(clean.reason)) log.unreadable(clean, origin);
      else log.dropped(clean, origin);
      logger.debug({ ...origin, ...clean }, 'dropped before decoding');
    },
  };

  return {
    sink,
    learn: recentSamples.learn,
    repetitions,
    telemetry: log.state,
    activeSeries: limiter.active,
    cardinality: limiter.report,
    redaction: redactor.rules,
    explainRedaction: redactor.explain,
    admit({ sender, protocol, signal, bytes }) {
      try {
        rates.admit(sender, signal, bytes);
      } catch (error) {
        // What the request holds is not known yet, so it counts as one.
        const example = error instanceof Error ? error.message : String(error);
        sink.drop({ signal, reason: 'refused_backpressure', count: 1, example }, { protocol, sender });
        throw error;
      }
    },
    metrics: log.registry,
  };
}

/** Reasons for which a receiver drops all that a request holds. */
const OF_WHOLE_REQUESTS: ReadonlySet<Rejection['reason']> = new Set(['unreadable', 'oversize', 'refused_backpressure']);

function isEmpty(batch: SignalBatch): boolean {
  const signals = Object.values(batchCounts(batch)).reduce((sum, count) => sum + count, 0);
  return signals + (batch.metadata?.length ?? 0) === 0;
}
