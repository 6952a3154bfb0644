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
import type { PromqlEngine, ServiceStats, TraceReader } from '../query/index.ts';
import type { EvidenceAnswer, EvidenceRequest, EvidenceSeries, EvidenceSource } from '../understand/diagnosis/index.ts';

export interface EvidenceOptions {
  engine: PromqlEngine;
  /** Left out: `service.*` is named as missing. */
  traces?: Pick<TraceReader, 'services'>;
  estate: EstateSnapshot;
  scope: Scope;
  clock: Clock;
  signal?: AbortSignal;
}

/** Queries at once: other people's Prometheus is a guest house. */
const CONCURRENT = 8;
const QUERY_TIMEOUT_MS = 10_000;
/** Spans are summed up in stretches of this many grid steps: each is a query. */
const STEPS_PER_SPAN_QUERY = 5;

/** Evidence for one investigation, through the catalogue. A query that fails is named as missing with its error. */
export function createEvidenceSource(options: EvidenceOptions): EvidenceSource {
  const { engine, estate, scope, clock } = options;
  const gate = createSemaphore(CONCURRENT);
  const spent = { queries: 0, seconds: 0 };
  const stretches = new Map<string, Promise<readonly ServiceStats[]>>();

  async function measured<T>(work: () => Promise<T>): Promise<T> {
    return gate.run(async () => {
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
    const parts = await Promise.all(plan.queries.map((query) => answer(query, request, of)));
    const bySpans = plan.queries.some((query) => query.kind === 'spans') && plan.signal?.shape === 'distribution';
    return {
      unit: request.stat === 'rate' ? '1/s' : (plan.signal?.unit ?? ''),
      ...(bySpans ? { stat: 'mean' as const } : {}),
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
      if (options.signal?.aborted) throw error;
      const why = `the query failed: ${error instanceof Error ? error.message : String(error)}`;
      return { series: [], queries: [], missing: [{ signal: request.signal, entity, why, fix: query.fix }] };
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

  async function askSpans(plan: SpanPlan, request: EvidenceRequest, entity: EntityRef): Promise<Part> {
    if (!options.traces) throw new Error('no trace store');
    const points = Math.floor((request.to - request.from) / request.step) + 1;
    const values = new Float64Array(points).fill(Number.NaN);
    const names = new Set(plan.services.map(({ service }) => service));
    const ends = Array.from(
      { length: Math.floor((points - 1) / STEPS_PER_SPAN_QUERY) },
      (_, i) => points - 1 - i * STEPS_PER_SPAN_QUERY,
    );
    const length = STEPS_PER_SPAN_QUERY * request.step;
    await Promise.all(
      ends.map(async (end) => {
        const to = request.from + end * request.step;
        const stats = (await stretch(plan.cluster, { from: to - length, to })).filter(
          (row) => row.cluster === plan.cluster && names.has(row.service),
        );
        values[end] = measureOf(stats, plan.measure, length / 1000);
      }),
    );
    const text = `server spans of ${[...names].join(', ')} in ${plan.cluster}: ${plan.measure === 'duration' ? 'mean duration' : plan.measure} per ${length / 1000} s`;
    const queries: EvidenceAnswer['queries'] = [{ system: plan.system, language: 'api', text }];
    if (!values.some((value) => value > 0) && plan.measure !== 'errors') {
      return {
        series: [],
        queries,
        missing: [{ signal: request.signal, entity, why: 'there are no spans of it in this time', fix: plan.fix }],
      };
    }
    return { series: [{ entity, labels: {}, values }], queries, missing: [] };
  }

  /** Each stretch of spans is summed up once for all signals. */
  function stretch(cluster: string, range: { from: number; to: number }): Promise<readonly ServiceStats[]> {
    const key = `${cluster} ${range.from}`;
    const known = stretches.get(key);
    if (known) return known;
    const { traces } = options;
    const asked = measured(
      async () =>
        (await traces?.services(
          { range, cluster },
          { scope, ...(options.signal ? { signal: options.signal } : {}) },
        )) ?? [],
    );
    stretches.set(key, asked);
    return asked;
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

function measureOf(stats: readonly ServiceStats[], measure: SpanPlan['measure'], seconds: number): number {
  const total = (field: 'requests' | 'errors' | 'durationSeconds') => stats.reduce((sum, row) => sum + row[field], 0);
  if (measure === 'duration') return total('requests') > 0 ? total('durationSeconds') / total('requests') : Number.NaN;
  return total(measure) / seconds;
}
