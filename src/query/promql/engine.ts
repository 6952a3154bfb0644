import { anySignal, type Clock } from '../../base/index.ts';
import { compareLabels, type Scope } from '../../model/index.ts';
import type { MetricSource } from '../sources/index.ts';
import type { MatrixSeries, QueryResult, QueryValue } from './answer.ts';
import { checkTypes } from './check.ts';
import { PromqlError } from './error.ts';
import { Annotations } from './evaluate/annotations.ts';
import { Budget } from './evaluate/budget.ts';
import { evaluate, evaluateRange } from './evaluate/evaluate.ts';
import { dropMarkedNames, mergeEqual } from './evaluate/names.ts';
import type { Query } from './evaluate/query.ts';
import { Reader } from './evaluate/reader.ts';
import { onlyNumbers, type Points, type Row, timeOf, type Value } from './evaluate/values.ts';
import { DEFAULT_LIMITS, type PromqlLimits } from './limits.ts';
import { TYPE_NAMES } from './signature.ts';
import { type Expr, parseExpr } from './syntax/index.ts';

/** Answers PromQL as Prometheus 3 does, over any metric source. Stateless between queries. */
export interface PromqlEngine {
  /** Throws PromqlError. */
  instant(query: InstantQuery): Promise<QueryResult>;
  /** Throws PromqlError. `startMs` and `endMs` are both included. */
  range(query: RangeQuery): Promise<QueryResult>;
}

export interface PromqlEngineOptions {
  source: MetricSource;
  clock: Clock;
  limits?: Partial<PromqlLimits>;
  /** Drop names at the end of a query only, as Prometheus does behind a feature flag and in its own test scripts. */
  delayNames?: boolean;
}

interface QueryCommon {
  query: string;
  scope: Scope;
  /** How far an instant selector looks back; 5 minutes when not given. */
  lookbackMs?: number;
  /** Ends the query; the error is then of kind `canceled`. */
  signal?: AbortSignal;
  /** Shortens the engine's own time limit. */
  timeoutMs?: number;
}

export interface InstantQuery extends QueryCommon {
  timeMs: number;
}

export interface RangeQuery extends QueryCommon {
  startMs: number;
  endMs: number;
  stepMs: number;
}

const LOOKBACK_MS = 300_000;
/** Prometheus' global evaluation interval when nobody sets one. */
const SUBQUERY_STEP_MS = 60_000;
/** More points per series than this is a mistake rather than a graph. */
const MAX_POINTS = 11_000;

export function createPromqlEngine(options: PromqlEngineOptions): PromqlEngine {
  return {
    async instant(request) {
      const { expr, type } = parseQuery(request.query);
      const points = { startMs: Math.trunc(request.timeMs), stepMs: 1, steps: 1 };
      return run(
        options,
        request,
        { startMs: points.startMs, endMs: points.startMs, stepMs: 0, isRange: false },
        async (query) =>
          type === 'range' ? rawMatrix(expr, points, query) : instantValue(await evaluate(expr, points, query), points),
      );
    },
    async range(request) {
      checkBounds(request);
      const { expr, type } = parseQuery(request.query);
      if (type === 'range' || type === 'string') {
        throw new PromqlError(
          'bad_data',
          `invalid expression type "${TYPE_NAMES[type]}" for range query, must be Scalar or instant Vector`,
        );
      }
      const { startMs, endMs, stepMs } = request;
      const points = { startMs, stepMs, steps: Math.floor((endMs - startMs) / stepMs) + 1 };
      return run(options, request, { startMs, endMs, stepMs, isRange: true }, async (query) =>
        rangeValue(await evaluate(expr, points, query), points),
      );
    },
  };
}

function parseQuery(text: string) {
  const expr = parseExpr(text);
  return { expr, type: checkTypes(text, expr) };
}

function checkBounds({ startMs, endMs, stepMs }: RangeQuery): void {
  if (endMs < startMs) throw new PromqlError('bad_data', 'end timestamp must not be before start time');
  if (!(stepMs > 0)) {
    throw new PromqlError(
      'bad_data',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    );
  }
  if ((endMs - startMs) / stepMs > MAX_POINTS) {
    throw new PromqlError(
      'bad_data',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    );
  }
}

async function run(
  options: PromqlEngineOptions,
  request: QueryCommon,
  bounds: Pick<Query, 'startMs' | 'endMs' | 'stepMs' | 'isRange'>,
  work: (query: Query) => Promise<QueryValue>,
): Promise<QueryResult> {
  const limits = limitsFor(options, request);
  // When one part of a query fails, its reads that are still under way are of no use.
  const failed = new AbortController();
  const signal = anySignal(request.signal, failed.signal);
  const budget = new Budget({ clock: options.clock, limits, signal: request.signal });
  const reader = new Reader({ source: options.source, limits, budget, signal });
  const annotations = new Annotations(request.query);
  const query: Query = {
    ...bounds,
    lookbackMs: request.lookbackMs ?? LOOKBACK_MS,
    defaultStepMs: SUBQUERY_STEP_MS,
    scope: request.scope,
    delayNames: options.delayNames ?? false,
    annotations,
    budget,
    reader,
  };
  try {
    budget.check();
    const value = await work(query);
    const stats = { samples: budget.samplesRead, series: reader.series, queries: reader.queries };
    return { value, warnings: annotations.warnings(), infos: annotations.infos(), stats };
  } finally {
    failed.abort();
  }
}

function limitsFor(options: PromqlEngineOptions, request: QueryCommon): PromqlLimits {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const seconds = request.timeoutMs === undefined ? limits.seconds : Math.min(limits.seconds, request.timeoutMs / 1000);
  return { ...limits, seconds };
}

function instantValue(value: Value, points: Points): QueryValue {
  const timeMs = points.startMs;
  if (value.kind === 'scalar') return { kind: 'scalar', timeMs, value: value.values[0] ?? Number.NaN };
  if (value.kind === 'string') return { kind: 'string', timeMs, value: value.value };
  const rows = mergeEqual(dropMarkedNames(value.rows)).filter((row) => row.present[0]);
  const samples = rows.map(({ labels, values, histograms }) => {
    const histogram = histograms?.[0];
    return histogram ? { labels, timeMs, value: Number.NaN, histogram } : { labels, timeMs, value: values[0] ?? 0 };
  });
  return { kind: 'vector', samples };
}

function rangeValue(value: Value, points: Points): QueryValue {
  const rows =
    value.kind === 'vector'
      ? mergeEqual(dropMarkedNames(value.rows))
      : value.kind === 'scalar'
        ? [scalarRow(value.values)]
        : [];
  const series = rows.map((row) => seriesOf(row, points)).filter(hasPoints);
  return { kind: 'matrix', series: series.sort((a, b) => compareLabels(a.labels, b.labels)) };
}

function scalarRow(values: Float64Array): Row {
  return { labels: [], dropName: false, values, present: new Uint8Array(values.length).fill(1) };
}

function hasPoints({ values, histograms }: MatrixSeries): boolean {
  return values.length > 0 || (histograms?.length ?? 0) > 0;
}

function seriesOf(given: Row, points: Points): MatrixSeries {
  const row = onlyNumbers(given);
  const steps = row.present.reduce((count, is) => count + is, 0);
  const timesMs = new Float64Array(steps);
  const values = new Float64Array(steps);
  for (let step = 0, to = 0; step < points.steps; step++) {
    if (!row.present[step]) continue;
    timesMs[to] = timeOf(points, step);
    values[to] = row.values[step] ?? 0;
    to++;
  }
  const histograms = (given.histograms ?? []).flatMap((value, step) =>
    value && given.present[step] ? [{ timeMs: timeOf(points, step), value }] : [],
  );
  return { labels: row.labels, timesMs, values, ...(histograms.length > 0 && { histograms }) };
}

/** A range vector on its own: the samples of its one window as they are. */
async function rawMatrix(expr: Expr, points: Points, query: Query): Promise<QueryValue> {
  const range = await evaluateRange(expr, points, query);
  const endMs = range.endMs(0);
  const series = range.rows.map(({ labels, timesMs, values, histograms }): MatrixSeries => {
    const inside = (_: number, i: number) => {
      const time = timesMs[i] ?? 0;
      return time > endMs - range.rangeMs && time <= endMs;
    };
    const isNumber = (value: number, i: number) => inside(value, i) && histograms?.[i] === undefined;
    const natives = (histograms ?? []).flatMap((value, i) =>
      value && inside(0, i) ? [{ timeMs: timesMs[i] ?? 0, value }] : [],
    );
    return {
      labels,
      timesMs: timesMs.filter(isNumber),
      values: values.filter(isNumber),
      ...(natives.length > 0 && { histograms: natives }),
    };
  });
  return {
    kind: 'matrix',
    series: series.filter(hasPoints).sort((a, b) => compareLabels(a.labels, b.labels)),
  };
}
