import { setMaxListeners } from 'node:events';
import { type Clock, createSemaphore } from '../base/index.ts';
import {
  type Entity,
  type EntityRef,
  type EstateSnapshot,
  type LabelSet,
  labelRecord,
  type MissingSignal,
  type PlannedQuery,
  type PromqlPlan,
  planSignal,
  type Scope,
  type SpanPlan,
} from '../model/index.ts';
import type { PromqlEngine, TraceReader } from '../query/index.ts';
import type { EvidenceAnswer, EvidenceRequest, EvidenceSeries, EvidenceSource } from '../understand/diagnosis/index.ts';

export interface EvidenceOptions {
  engine: PromqlEngine;
  /** Left out: `service.*` is named as missing. */
  traces?: Pick<TraceReader, 'measure'>;
  estate: EstateSnapshot;
  scope: Scope;
  clock: Clock;
  /** Once it aborts for lack of time, what was not answered is named as missing; any other abort is thrown. */
  signal?: AbortSignal;
  /** No more queries than this are issued; what they would have brought is named as missing. */
  mostQueries?: number;
}

/** Queries at once: other people's Prometheus is a guest house. */
const CONCURRENT = 4;
const QUERY_TIMEOUT_MS = 10_000;

class BudgetSpent extends Error {
  override name = 'BudgetSpent';
}

/** Evidence for one investigation, through the catalogue. A query that fails is named as missing with its error. */
export function createEvidenceSource(options: EvidenceOptions): EvidenceSource {
  const { engine, estate, scope, clock, mostQueries = Number.POSITIVE_INFINITY } = options;
  const gate = createSemaphore(CONCURRENT);
  // One for each query that waits.
  if (options.signal) setMaxListeners(0, options.signal);
  const spent = { queries: 0, seconds: 0 };

  async function measured<T>(work: () => Promise<T>): Promise<T> {
    return gate.run(async () => {
      if (spent.queries >= mostQueries) throw new BudgetSpent(`its ${mostQueries} queries were spent`);
      const started = clock.monotonic();
      spent.queries++;
      try {
        return await work();
      } finally {
        spent.seconds += (clock.monotonic() - started) / 1000;
      }
    }, options.signal);
  }

  async function fetch(request: EvidenceRequest): Promise<EvidenceAnswer> {
    const of = request.of.flatMap((ref) => estate.get(ref) ?? []);
    const plan = planSignal({
      signal: request.signal,
      of,
      ...(request.by ? { by: request.by } : {}),
      ...(request.stat ? { stat: request.stat } : {}),
      estate,
      windowSeconds: request.rateSeconds,
    });
    const ask = (kind: PlannedQuery['kind']) =>
      Promise.all(plan.queries.filter((query) => query.kind === kind).map((query) => answer(query, request, of)));
    const byMetrics = await ask('promql');
    // Spans are the dearer way to the same numbers.
    const parts = byMetrics.some((part) => part.series.length > 0)
      ? byMetrics
      : [...byMetrics, ...(await ask('spans'))];
    return {
      unit: request.stat === 'rate' ? '1/s' : (plan.signal?.unit ?? ''),
      series: firstPerEntity(parts.flatMap((part) => part.series)),
      queries: parts.flatMap((part) => part.queries),
      missing: [
        ...plan.missing,
        ...(parts.some((part) => part.series.length > 0) ? [] : parts.flatMap((part) => part.missing)),
      ],
    };
  }

  async function answer(query: PlannedQuery, request: EvidenceRequest, of: readonly Entity[]): Promise<Part> {
    const entity = of[0]?.ref ?? '';
    try {
      return query.kind === 'promql'
        ? await askMetrics(query, request, entity)
        : await askSpans(query, request, entity);
    } catch (error) {
      const { signal } = options;
      const timeIsUp = signal?.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
      if (signal?.aborted && !timeIsUp) throw error;
      const spentWhat = error instanceof BudgetSpent ? error.message : timeIsUp ? 'its time was over' : undefined;
      const failure =
        spentWhat === undefined
          ? { why: `the query failed: ${error instanceof Error ? error.message : String(error)}`, fix: query.fix }
          : { why: `not asked to the end: ${spentWhat}`, fix: 'Investigate a narrower subject or a shorter window.' };
      return { series: [], queries: [], missing: [{ signal: request.signal, entity, ...failure }] };
    }
  }

  async function askMetrics(plan: PromqlPlan, request: EvidenceRequest, entity: EntityRef): Promise<Part> {
    for (const { promql, entityOf } of plan.spellings) {
      const range = { query: promql, scope, startMs: request.from, endMs: request.to, stepMs: request.step };
      const result = await measured(() =>
        engine.range({ ...range, timeoutMs: QUERY_TIMEOUT_MS, ...(options.signal ? { signal: options.signal } : {}) }),
      );
      if (result.value.kind !== 'matrix') continue;
      const series = result.value.series.flatMap(({ labels, timesMs, values }) =>
        toSeries(labels, entityOf, request, timesMs, values),
      );
      if (series.length > 0)
        return { series, queries: [{ system: plan.system, language: 'promql', text: promql }], missing: [] };
    }
    const text = plan.spellings[0]?.promql ?? '';
    return {
      series: [],
      queries: [{ system: plan.system, language: 'promql', text }],
      missing: [{ signal: request.signal, entity, why: `${plan.system} gave no series for it`, fix: plan.fix }],
    };
  }

  /** Spans are counted in stretches as long as a rate's range, so fewer points than the grid has. */
  async function askSpans(plan: SpanPlan, request: EvidenceRequest, entity: EntityRef): Promise<Part> {
    const { traces } = options;
    if (!traces) throw new Error('no trace store');
    const stepMs = Math.max(1, Math.round((request.rateSeconds * 1000) / request.step)) * request.step;
    const services = plan.services.map(({ service }) => service);
    const stat = plan.measure === 'duration' && plan.stat !== 'rate' ? { stat: plan.stat } : {};
    const query = {
      range: { from: request.from, to: request.to },
      stepMs,
      cluster: plan.cluster,
      services,
      side: plan.side,
      measure: plan.measure,
      ...(plan.callee === undefined ? {} : { callee: plan.callee }),
      ...stat,
    };
    const found = await measured(() =>
      traces.measure(query, { scope, ...(options.signal ? { signal: options.signal } : {}) }),
    );
    const series = found.flatMap(({ service, timesMs, values }) => {
      const owner = plan.services.find((known) => known.service === service)?.entity ?? entity;
      return toSeries([], () => owner, request, timesMs, values);
    });
    const what = plan.measure === 'duration' ? `${plan.stat} of durations` : plan.measure;
    const text = `${plan.side === 'service' ? 'server spans' : 'calls'} of ${services.join(', ')} in ${plan.cluster}: ${what} per ${stepMs / 1000} s`;
    const missing = { signal: request.signal, entity, why: 'there are no spans of it in this time', fix: plan.fix };
    return {
      series,
      queries: [{ system: plan.system, language: 'api', text }],
      missing: series.length > 0 ? [] : [missing],
    };
  }

  return { fetch, spent: () => ({ ...spent }) };
}

interface Part {
  series: EvidenceSeries[];
  queries: EvidenceAnswer['queries'];
  missing: MissingSignal[];
}

function toSeries(
  labels: LabelSet,
  entityOf: (labels: Readonly<Record<string, string>>) => EntityRef | undefined,
  request: EvidenceRequest,
  times: Float64Array,
  points: Float64Array,
): EvidenceSeries[] {
  const record = labelRecord(labels);
  const entity = entityOf(record);
  if (entity === undefined) return [];
  const values = new Float64Array(Math.floor((request.to - request.from) / request.step) + 1).fill(Number.NaN);
  times.forEach((time, i) => {
    const index = Math.round((time - request.from) / request.step);
    if (index >= 0 && index < values.length) values[index] = points[i] ?? Number.NaN;
  });
  return [{ entity, labels: record, values }];
}

/** Two systems may know the same thing: the first in the catalogue's order is believed. */
function firstPerEntity(series: readonly EvidenceSeries[]): EvidenceSeries[] {
  const seen = new Set<string>();
  return series.filter(({ entity }) => !seen.has(entity) && seen.add(entity));
}
