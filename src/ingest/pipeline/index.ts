/**
 * What happens to every batch between a receiver and the spool, one step one file: join lines, redact, enrich, limit, accept times.
 * Works on decoded signals only; knows no protocol and writes nothing.
 */

import type { Clock } from '../../base/index.ts';
import type { SignalBatch, Span } from '../../model/index.ts';
import type { BatchOrigin, Rejection } from '../sink.ts';
import { createTurns } from '../turns.ts';
import { type AcceptedTimes, explainTime, judgeTime, timeWindow } from './accept-times.ts';
import { createEnricher } from './enrich.ts';
import { createExemplarsStep, createHistogramsStep } from './histograms.ts';
import type { CardinalityLimiter } from './limit-cardinality.ts';
import { defaultLogLimits, type LogLimits } from './limits.ts';
import { createLogsStep } from './logs.ts';
import type { Redactor } from './redact.ts';
import { createRejections, type LabelledRejection, passOne } from './rejections.ts';
import { createSamplesStep } from './samples.ts';
import { createSeriesGate } from './series-gate.ts';

export { type AcceptedTimes, defaultAcceptedTimes, explainTime, judgeTime, timeWindow } from './accept-times.ts';
export type { CardinalityReport } from './cardinality/index.ts';
export type { RedactionMatch } from './explain.ts';
export { createCardinalityLimiter } from './limit-cardinality.ts';
export { createRateLimiter, defaultRateLimits, type RateLimits } from './limit-rate.ts';
export { type CardinalityLimits, defaultCardinalityLimits, defaultLogLimits, type LogLimits } from './limits.ts';
export {
  configureRedactText,
  createRedactor,
  type RedactionOptions,
  type Redactor,
  type RuleState,
  redactText,
} from './redact.ts';
export { RULES } from './redaction-rules.ts';
export { checkUserPattern } from './user-patterns.ts';

export interface PipelineResult {
  batch: SignalBatch;
  rejected: LabelledRejection[];
  /** What is stored but not as it came, such as lines that were cut: counted like drops, but not refused to the sender. */
  changed: LabelledRejection[];
}

export interface Pipeline {
  run(batch: SignalBatch, origin: BatchOrigin): Promise<PipelineResult>;
}

export function createPipeline(options: {
  clock: Clock;
  accept: AcceptedTimes;
  redactor: Redactor;
  limiter: CardinalityLimiter;
  lines?: Partial<LogLimits>;
}): Pipeline {
  const { clock, accept, redactor, limiter } = options;
  const gate = createSeriesGate(redactor, limiter);
  const samplesStep = createSamplesStep(gate);
  const histogramsStep = createHistogramsStep(gate);
  const exemplarsStep = createExemplarsStep(gate, redactor);
  const enricher = createEnricher();
  const logsStep = createLogsStep(redactor, enricher, { ...defaultLogLimits, ...options.lines });

  return {
    async run(batch, origin) {
      const now = clock.now();
      const ofMetrics = timeWindow(accept, now, 'metrics');
      const rejections = createRejections();
      const turns = createTurns();

      const pass = async <T>(
        signal: Rejection['signal'],
        items: readonly T[],
        step: (item: T) => T | undefined,
      ): Promise<T[]> => {
        const kept: T[] = [];
        for (let i = 0; i < items.length; i++) {
          if (i % 128 === 127 && turns.over()) await turns.next();
          const item = items[i];
          const next = item === undefined ? undefined : passOne(signal, rejections, () => step(item));
          if (next !== undefined) kept.push(next);
        }
        return kept;
      };
      const result: SignalBatch = {};
      if (batch.samples !== undefined) result.samples = samplesStep(batch.samples, origin, ofMetrics, rejections);
      const histogramRejections = createRejections();
      if (batch.histograms !== undefined) {
        result.histograms = histogramsStep(batch.histograms, origin, ofMetrics, histogramRejections);
      }
      if (batch.exemplars !== undefined) {
        result.exemplars = exemplarsStep(batch.exemplars, origin, ofMetrics, rejections);
      }
      if (batch.metadata !== undefined) result.metadata = await pass('samples', batch.metadata, redactor.metadata);
      const changed = createRejections();
      if (batch.logs !== undefined) {
        const ofLogs = timeWindow(accept, now, 'logs');
        result.logs = await logsStep(batch.logs, origin, ofLogs, turns, rejections, changed);
      }
      if (batch.spans !== undefined) {
        const ofTraces = timeWindow(accept, now, 'traces');
        result.spans = await pass('spans', batch.spans, (raw) => {
          const span = redactor.span(raw);
          const ms = Number(span.startNs / 1_000_000n);
          const misplaced = judgeTime(ms, ofTraces);
          if (misplaced === undefined) return enricher.span(span, origin.cluster);
          rejections.add('spans', misplaced, () => `span ${spanText(span)} ${explainTime(misplaced, ms, ofTraces)}`);
          return undefined;
        });
      }
      if (batch.objects !== undefined) result.objects = await pass('objects', batch.objects, redactor.object);
      const ofHistograms = histogramRejections.list().map((one) => ({ ...one, histograms: true as const })); // literal
      return { batch: result, rejected: [...rejections.list(), ...ofHistograms], changed: changed.list() };
    },
  };
}

function spanText(span: Span): string {
  return `${JSON.stringify(span.name.slice(0, 100))} of trace ${span.traceId}`;
}
