import type { NativeHistogram } from '../../../model/index.ts';
import { FUNCTIONS, type OverWindows } from '../functions.ts';
import { scale } from '../histograms/index.ts';
import { type Aggregation, type Call, type Expr, type Subquery, unwrap } from '../syntax/index.ts';
import { aggregate } from './aggregate.ts';
import { evaluateBinary } from './binary.ts';
import type { FunctionCall } from './call.ts';
import { noteNonCounters } from './counter-names.ts';
import { dropNames } from './names.ts';
import { pushedAggregation } from './pushdown.ts';
import { durationMs, type Query, resolveShift } from './query.ts';
import { repeat, selectInstant, selectPushed, selectRange } from './selector.ts';
import {
  type Histograms,
  lastTime,
  onlyNumbers,
  type Points,
  type RangeValue,
  type Row,
  type SampleRow,
  timeOf,
  type Value,
  vector,
} from './values.ts';
import { overWindows } from './windows.ts';

/**
 * Evaluates a checked expression at all points at once. Operators work on whole rows; what has to be decided point by
 * point (matching, duplicates, top k) is decided per point inside of them.
 */
export async function evaluate(expr: Expr, points: Points, query: Query): Promise<Value> {
  if (query.budget.isDue()) await query.budget.pause();
  switch (expr.kind) {
    case 'number':
      return { kind: 'scalar', values: new Float64Array(points.steps).fill(expr.value) };
    case 'string':
      return { kind: 'string', value: expr.value };
    case 'paren':
      return evaluate(expr.expr, points, query);
    case 'selector':
      return vector(await selectInstant(expr, points, query));
    case 'unary':
      return expr.op === '+'
        ? evaluate(expr.expr, points, query)
        : negate(await evaluate(expr.expr, points, query), query);
    case 'binary': {
      const [left, right] = await Promise.all([
        evaluate(expr.left, points, query),
        evaluate(expr.right, points, query),
      ]);
      return evaluateBinary(expr, left, right, query);
    }
    case 'aggregation':
      return evaluateAggregation(expr, points, query);
    case 'call':
      return evaluateCall(expr, points, query);
    case 'range':
    case 'subquery':
      throw new Error('a range vector has no value at a point; the type check lets none through');
  }
}

/** Samples of a range selector or subquery for the windows of all points. */
export function evaluateRange(expr: Expr, points: Points, query: Query): Promise<RangeValue> {
  const inner = unwrap(expr);
  if (inner.kind === 'range') return selectRange(inner, points, query);
  if (inner.kind === 'subquery') return evaluateSubquery(inner, points, query);
  throw new Error(`a ${inner.kind} is no range vector; the type check lets none through`);
}

function negate(value: Value, query: Query): Value {
  if (value.kind === 'scalar') return { kind: 'scalar', values: value.values.map((number) => -number) };
  if (value.kind === 'string') throw new Error('a string has no sign; the type check lets none through');
  return vector(
    dropNames(
      value.rows.map((row) => negated(row)),
      query,
    ),
  );
}

function negated(row: Row): Row {
  const negative = { ...row, values: row.values.map((number) => -number) };
  if (row.histograms) negative.histograms = row.histograms.map((histogram) => histogram && scale(histogram, -1));
  return negative;
}

async function evaluateAggregation(expr: Aggregation, points: Points, query: Query): Promise<Value> {
  const pushed = await pushedAggregation(expr, points, query);
  if (pushed) return vector(pushed);
  const [value, parameter] = await Promise.all([
    evaluate(expr.expr, points, query),
    expr.parameter && evaluate(expr.parameter, points, query),
  ]);
  return aggregate(expr, value.kind === 'vector' ? value.rows : [], parameter, query);
}

async function evaluateCall(expr: Call, points: Points, query: Query): Promise<Value> {
  const spec = FUNCTIONS.get(expr.name);
  if (!spec) throw new Error(`no function ${expr.name}; the type check lets none through`);
  const call = functionCall(expr, points, query);
  if (spec.kind === 'whole') return spec.evaluate(call);
  const scalars = expr.args.flatMap((_, index) => (spec.args[index] === 'scalar' ? [index] : []));
  const params = await Promise.all(scalars.map((index) => call.scalar(index)));
  if (spec.kind === 'each') return vector(dropNames(applyEach(await call.vector(0), spec.apply, params, query), query));
  spec.check?.(call, params);
  const rows = await windowRows(spec, call, params);
  return vector(spec.keepsName ? rows : dropNames(rows, query));
}

function functionCall(expr: Call, points: Points, query: Query): FunctionCall {
  const arg = (index: number): Expr => {
    const found = expr.args[index];
    if (!found) throw new Error(`${expr.name} has no argument ${index}; the type check counts them`);
    return found;
  };
  const stringOf = async (inner: Expr) => {
    const value = await evaluate(inner, points, query);
    return value.kind === 'string' ? value.value : '';
  };
  return {
    expr,
    points,
    query,
    arg,
    vector: async (index) => {
      const value = await evaluate(arg(index), points, query);
      return value.kind === 'vector' ? value.rows : [];
    },
    scalar: async (index) => {
      const value = await evaluate(arg(index), points, query);
      return value.kind === 'scalar' ? value.values : new Float64Array(points.steps);
    },
    range: (index) => evaluateRange(arg(index), points, query),
    strings: (index) =>
      Promise.all(
        expr.args
          .slice(index)
          .filter((inner) => unwrap(inner).kind === 'string')
          .map(stringOf),
      ),
  };
}

function applyEach(
  rows: Row[],
  apply: (value: number, ...params: number[]) => number | undefined,
  params: Float64Array[],
  query: Query,
): Row[] {
  const [first, second] = params;
  return rows.map(onlyNumbers).map((row) => {
    const steps = row.values.length;
    query.budget.spend(steps);
    const values = new Float64Array(steps);
    const present = row.present.slice();
    for (let step = 0; step < steps; step++) {
      if (!present[step]) continue;
      const value = row.values[step] ?? 0;
      const result = second
        ? apply(value, first?.[step] ?? 0, second[step] ?? 0)
        : first
          ? apply(value, first[step] ?? 0)
          : apply(value);
      if (result === undefined) present[step] = 0;
      else values[step] = result;
    }
    return { ...row, values, present };
  });
}

async function windowRows(
  spec: OverWindows & { args: readonly string[] },
  call: FunctionCall,
  params: Float64Array[],
): Promise<Row[]> {
  const argument = call.arg(spec.args.indexOf('range'));
  const inner = unwrap(argument);
  const pushed =
    spec.grid && inner.kind === 'range' ? await selectPushed(inner, spec.grid, call.points, call.query) : undefined;
  const rows = pushed ?? (await localRows(spec, call, await evaluateRange(argument, call.points, call.query), params));
  if (spec.counter) noteNonCounters(rows, call.query, argument.span);
  return rows;
}

async function localRows(
  spec: OverWindows & { args: readonly string[] },
  call: FunctionCall,
  range: RangeValue,
  params: Float64Array[],
): Promise<Row[]> {
  const { points, query } = call;
  const options = { params, points, query, at: call.arg(spec.args.indexOf('range')).span };
  if (!range.fixed || spec.timed || params.length > 0) return overWindows(range, spec, options);
  // `@` makes all windows one: answer it once.
  const once = await overWindows(range, spec, { ...options, points: { ...points, steps: 1 } });
  return once.map((row) => repeat(row, points.steps));
}

/** Evaluates the inner expression on its own grid, whose points are multiples of its step. */
async function evaluateSubquery(expr: Subquery, points: Points, query: Query): Promise<RangeValue> {
  const rangeMs = durationMs(expr.range, query);
  const stepMs = expr.step ? durationMs(expr.step, query) : query.defaultStepMs;
  const { atMs, offsetMs } = resolveShift(expr.time, query);
  const endMs = (step: number) => (atMs ?? timeOf(points, step)) - offsetMs;
  const firstMs = (Math.floor((endMs(0) - rangeMs) / stepMs) + 1) * stepMs;
  const lastMs = (atMs ?? lastTime(points)) - offsetMs;
  const steps = Math.max(0, Math.floor((lastMs - firstMs) / stepMs) + 1);
  const result = { rangeMs, endMs, fixed: atMs !== undefined };
  if (steps === 0) return { ...result, rows: [] };
  query.budget.spend(steps);
  const inner = { startMs: firstMs, stepMs, steps };
  const value = await evaluate(expr.expr, inner, query);
  const rows = value.kind === 'vector' ? value.rows.map((row) => asSamples(row, inner)) : [];
  return { ...result, rows: rows.filter((row) => row.values.length > 0) };
}

function asSamples(row: Row, points: Points): SampleRow {
  let count = 0;
  for (const is of row.present) count += is;
  const timesMs = new Float64Array(count);
  const values = new Float64Array(count);
  const histograms: Histograms = [];
  for (let step = 0, to = 0; step < points.steps; step++) {
    if (!row.present[step]) continue;
    timesMs[to] = timeOf(points, step);
    values[to] = row.values[step] ?? 0;
    const histogram = row.histograms?.[step];
    if (histogram) histograms[to] = withoutHint(histogram);
    to++;
  }
  return { labels: row.labels, dropName: row.dropName, timesMs, values, ...(row.histograms && { histograms }) };
}

/** What a sample said about the one before it does not hold for the point before it. */
function withoutHint(histogram: NativeHistogram): NativeHistogram {
  return histogram.resetHint === 'gauge' ? histogram : { ...histogram, resetHint: 'unknown' };
}
