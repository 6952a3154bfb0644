import type { NativeHistogram } from '../../model/index.ts';
import type { GridFunction } from '../sources/index.ts';
import { absentRow } from './evaluate/absent.ts';
import { CALENDAR } from './evaluate/calendar.ts';
import type { FunctionCall } from './evaluate/call.ts';
import { histogramFraction, histogramQuantile, histogramQuantiles } from './evaluate/histogram.ts';
import { addInfo } from './evaluate/info.ts';
import { dropNames } from './evaluate/names.ts';
import { eachHistogram, rowsOfNumbers } from './evaluate/native.ts';
import * as native from './evaluate/native-over-time.ts';
import { maxOf, minOf } from './evaluate/operators.ts';
import { sortByLabels, sortByValue } from './evaluate/order.ts';
import * as over from './evaluate/over-time.ts';
import { checkQuantiles, checkSmoothing } from './evaluate/parameters.ts';
import { delta, idelta, increase, irate, rate } from './evaluate/rate.ts';
import { deriv, predictLinear } from './evaluate/regression.ts';
import { labelJoin, labelReplace } from './evaluate/relabel.ts';
import { selectTimestamps } from './evaluate/selector.ts';
import { emptyRow, onlyNumbers, type Row, timeOf, type Value, vector, withNumbers } from './evaluate/values.ts';
import { type MixedWindowFunction, overWindows, type WindowFunction } from './evaluate/windows.ts';
import { varianceOfHistogram } from './histograms/index.ts';
import type { Signature } from './signature.ts';
import { unwrap } from './syntax/index.ts';

/** How a function is computed: element by element, window by window, or its own way. */
export type FunctionSpec = Signature & (EachFunction | OverWindows | WholeFunction);

/** From each element's value and the scalar arguments at its point; undefined leaves the element out. Drops the name. */
interface EachFunction {
  kind: 'each';
  apply: (value: number, ...params: number[]) => number | undefined;
}

/** From each window of each series. */
export interface OverWindows {
  kind: 'window';
  apply: WindowFunction;
  /** For windows with native histograms; without it they are left out. */
  mixed?: MixedWindowFunction;
  keepsName?: boolean;
  /** What the source may compute instead. */
  grid?: GridFunction;
  /** Sound for counters only: other names get a note. */
  counter?: boolean;
  /** Depends on the time of evaluation and not on the samples alone. */
  timed?: boolean;
  check?: (call: FunctionCall, params: readonly Float64Array[]) => void;
}

interface WholeFunction {
  kind: 'whole';
  evaluate: (call: FunctionCall) => Promise<Value>;
}

/** Every function of the language, one entry each. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['abs', each(Math.abs)],
  [
    'absent',
    whole(['vector'], async (call) => vector([absentRow(call.arg(0), await call.vector(0), call.points.steps)])),
  ],
  [
    'absent_over_time',
    whole(['range'], async (call) => {
      const rule = { apply: over.presentOverTime, mixed: over.presentOverTime };
      const rows = await overWindows(await call.range(0), rule, { params: [], at: call.arg(0).span, ...call });
      return vector([absentRow(call.arg(0), rows, call.points.steps)]);
    }),
  ],
  ['acos', each(Math.acos)],
  ['acosh', each(Math.acosh)],
  ['asin', each(Math.asin)],
  ['asinh', each(Math.asinh)],
  ['atan', each(Math.atan)],
  ['atanh', each(Math.atanh)],
  ['avg_over_time', windowed(over.avgOverTime, { mixed: native.avgOfHistograms })],
  ['ceil', each(Math.ceil)],
  ['changes', windowed(over.changesOverTime, { mixed: native.changesOfSamples })],
  ['clamp', each((value, low, high) => (low > high ? undefined : maxOf(low, minOf(high, value))), 2)],
  ['clamp_max', each((value, high) => minOf(high, value), 1)],
  ['clamp_min', each((value, low) => maxOf(low, value), 1)],
  ['cos', each(Math.cos)],
  ['cosh', each(Math.cosh)],
  ['count_over_time', windowed(over.countOverTime, { mixed: over.countOverTime })],
  ['day_of_month', datePart(CALENDAR.day_of_month)],
  ['day_of_week', datePart(CALENDAR.day_of_week)],
  ['day_of_year', datePart(CALENDAR.day_of_year)],
  ['days_in_month', datePart(CALENDAR.days_in_month)],
  ['deg', each((value) => (value * 180) / Math.PI)],
  ['delta', windowed(delta, { mixed: native.deltaOfHistograms, grid: 'delta' })],
  ['deriv', windowed(deriv)],
  [
    'double_exponential_smoothing',
    { ...windowed(over.doubleExponentialSmoothing, { check: checkSmoothing }), args: ['range', 'scalar', 'scalar'] },
  ],
  ['end', constant((call) => call.query.endMs / 1000)],
  ['exp', each(Math.exp)],
  ['first_over_time', windowed(over.firstOverTime, { mixed: native.valueAtStart, keepsName: true })],
  ['floor', each(Math.floor)],
  ['histogram_avg', ofHistograms(({ sum, count }) => sum / count)],
  ['histogram_count', ofHistograms(({ count }) => count)],
  [
    'histogram_fraction',
    whole(['scalar', 'scalar', 'vector'], async (call) => {
      const bounds = { lower: await call.scalar(0), upper: await call.scalar(1) };
      return named(call, await histogramFraction(await call.vector(2), bounds, call.query, call.arg(2).span));
    }),
  ],
  [
    'histogram_quantile',
    whole(['scalar', 'vector'], async (call) => {
      const at = { quantile: call.arg(0).span, rows: call.arg(1).span };
      return named(call, await histogramQuantile(await call.vector(1), await call.scalar(0), call.query, at));
    }),
  ],
  [
    'histogram_quantiles',
    {
      ...whole(['vector', 'string', 'scalar', 'scalar'], async (call) => named(call, await histogramQuantiles(call))),
      variadic: 9,
    },
  ],
  ['histogram_stddev', ofHistograms((histogram) => Math.sqrt(varianceOfHistogram(histogram)))],
  ['histogram_stdvar', ofHistograms(varianceOfHistogram)],
  ['histogram_sum', ofHistograms(({ sum }) => sum)],
  ['hour', datePart(CALENDAR.hour)],
  ['idelta', windowed(idelta, { mixed: native.ideltaOfHistograms, grid: 'idelta' })],
  ['increase', windowed(increase, { mixed: native.increaseOfHistograms, grid: 'increase', counter: true })],
  ['info', { ...whole(['vector', 'vector'], async (call) => vector(await addInfo(call))), variadic: 1 }],
  ['irate', windowed(irate, { mixed: native.irateOfHistograms, grid: 'irate' })],
  [
    'label_join',
    {
      ...whole(['vector', 'string', 'string', 'string'], async (call) => {
        const [target = '', separator = '', ...sources] = await call.strings(1);
        return vector(labelJoin(await call.vector(0), { target, separator, sources }));
      }),
      variadic: Number.POSITIVE_INFINITY,
    },
  ],
  [
    'label_replace',
    whole(['vector', 'string', 'string', 'string', 'string'], async (call) => {
      const [target = '', replacement = '', source = '', pattern = ''] = await call.strings(1);
      return vector(labelReplace(await call.vector(0), { target, replacement, source, pattern }));
    }),
  ],
  ['last_over_time', windowed(over.lastOverTime, { mixed: native.valueAtEnd, keepsName: true })],
  ['ln', each(Math.log)],
  ['log10', each(Math.log10)],
  ['log2', each(Math.log2)],
  ['mad_over_time', windowed(over.medianDeviationOverTime)],
  ['max_of', ofTwo(maxOf)],
  ['max_over_time', windowed(over.maxOverTime)],
  ['min_of', ofTwo(minOf)],
  ['min_over_time', windowed(over.minOverTime)],
  ['minute', datePart(CALENDAR.minute)],
  ['month', datePart(CALENDAR.month)],
  ['pi', constant(() => Math.PI)],
  ['predict_linear', { ...windowed(predictLinear, { timed: true }), args: ['range', 'scalar'] }],
  ['present_over_time', windowed(over.presentOverTime, { mixed: over.presentOverTime })],
  ['quantile_over_time', { ...windowed(over.quantileOverTime, { check: checkQuantiles }), args: ['scalar', 'range'] }],
  ['rad', each((value) => (value * Math.PI) / 180)],
  ['range', constant((call) => (call.query.endMs - call.query.startMs) / 1000)],
  ['rate', windowed(rate, { mixed: native.rateOfHistograms, grid: 'rate', counter: true })],
  ['resets', windowed(over.resetsOverTime, { mixed: native.resetsOfSamples, grid: 'resets' })],
  ['round', { ...each(roundTo), args: ['vector', 'scalar'], variadic: 1 }],
  [
    'scalar',
    { ...whole(['vector'], async (call) => onlyElement(await call.vector(0), call.points.steps)), returns: 'scalar' },
  ],
  ['sgn', each((value) => (value > 0 ? 1 : value < 0 ? -1 : value))],
  ['sin', each(Math.sin)],
  ['sinh', each(Math.sinh)],
  ['sort', whole(['vector'], (call) => sorted(call, (rows) => sortByValue(rowsOfNumbers(rows), 'ascending')))],
  ['sort_by_label', sortedByLabels('ascending')],
  ['sort_by_label_desc', sortedByLabels('descending')],
  ['sort_desc', whole(['vector'], (call) => sorted(call, (rows) => sortByValue(rowsOfNumbers(rows), 'descending')))],
  ['sqrt', each(Math.sqrt)],
  ['start', constant((call) => call.query.startMs / 1000)],
  ['stddev_over_time', windowed(over.deviationOverTime)],
  ['stdvar_over_time', windowed(over.varianceOverTime)],
  ['step', constant((call) => call.query.stepMs / 1000)],
  ['sum_over_time', windowed(over.sumOverTime, { mixed: native.sumOfHistograms })],
  ['tan', each(Math.tan)],
  ['tanh', each(Math.tanh)],
  ['time', { ...whole([], async (call) => ({ kind: 'scalar', values: times(call) })), returns: 'scalar' }],
  ['timestamp', whole(['vector'], async (call) => named(call, await timestamps(call)))],
  ['ts_of_first_over_time', windowed(over.timeOfFirst, { mixed: over.timeOfFirst })],
  ['ts_of_last_over_time', windowed(over.timeOfLast, { mixed: over.timeOfLast })],
  ['ts_of_max_over_time', windowed(over.timeOfMax)],
  ['ts_of_min_over_time', windowed(over.timeOfMin)],
  ['vector', whole(['scalar'], async (call) => vector([unlabelled(await call.scalar(0))]))],
  ['year', datePart(CALENDAR.year)],
]);

function each(apply: EachFunction['apply'], scalars = 0): Signature & EachFunction {
  const args = ['vector', ...Array<'scalar'>(scalars).fill('scalar')] as const;
  return { kind: 'each', apply, args, variadic: 0, returns: 'vector' };
}

function windowed(apply: WindowFunction, options: Omit<OverWindows, 'kind' | 'apply'> = {}): Signature & OverWindows {
  return { kind: 'window', apply, ...options, args: ['range'], variadic: 0, returns: 'vector' };
}

function whole(args: Signature['args'], evaluate: WholeFunction['evaluate']): Signature & WholeFunction {
  return { kind: 'whole', evaluate, args, variadic: 0, returns: 'vector' };
}

/** Parts of the evaluation time when there is no argument. */
function datePart(part: (seconds: number) => number): FunctionSpec {
  return {
    ...whole(['vector'], async (call) => {
      if (call.expr.args.length === 0) return vector([unlabelled(times(call).map(part))]);
      return named(
        call,
        (await call.vector(0)).map(onlyNumbers).map((row) => ({ ...row, values: row.values.map(part) })),
      );
    }),
    variadic: 1,
  };
}

/** The same number at every point. */
function constant(of: (call: FunctionCall) => number): FunctionSpec {
  const evaluate = async (call: FunctionCall): Promise<Value> => ({
    kind: 'scalar',
    values: new Float64Array(call.points.steps).fill(of(call)),
  });
  return { ...whole([], evaluate), returns: 'scalar' };
}

function ofTwo(of: (a: number, b: number) => number): FunctionSpec {
  const evaluate = async (call: FunctionCall): Promise<Value> => {
    const [left, right] = [await call.scalar(0), await call.scalar(1)];
    return { kind: 'scalar', values: left.map((value, step) => of(value, right[step] ?? 0)) };
  };
  return { ...whole(['scalar', 'scalar'], evaluate), returns: 'scalar' };
}

/** Functions of native histograms say nothing about floats. */
function ofHistograms(of: (histogram: NativeHistogram) => number): FunctionSpec {
  return whole(['vector'], async (call) => named(call, eachHistogram(await call.vector(0), of)));
}

function sortedByLabels(direction: 'ascending' | 'descending'): FunctionSpec {
  return {
    ...whole(['vector', 'string'], async (call) => {
      const names = await call.strings(1);
      return sorted(call, (rows) => sortByLabels(rows, names, direction));
    }),
    variadic: Number.POSITIVE_INFINITY,
  };
}

async function sorted(call: FunctionCall, sort: (rows: Row[]) => Row[]): Promise<Value> {
  const rows = await call.vector(0);
  if (!call.query.isRange) return { kind: 'vector', rows: sort(rows), ordered: true };
  call.query.annotations.warn(
    `${call.expr.name} is ineffective for range queries since their results are ordered by labels`,
    call.expr.span,
  );
  return vector(rows);
}

function named(call: FunctionCall, rows: Row[]): Value {
  return vector(dropNames(rows, call.query));
}

function times(call: FunctionCall): Float64Array {
  return new Float64Array(call.points.steps).map((_, step) => timeOf(call.points, step) / 1000);
}

/** A plain selector gives its samples' own times, anything computed the time of evaluation. */
async function timestamps(call: FunctionCall): Promise<Row[]> {
  const argument = unwrap(call.arg(0));
  if (argument.kind === 'selector') return selectTimestamps(argument, call.points, call.query);
  const now = times(call);
  return (await call.vector(0)).map((row) => withNumbers(row, now));
}

function unlabelled(values: Float64Array): Row {
  return { labels: [], dropName: false, values, present: new Uint8Array(values.length).fill(1) };
}

/** The value where there is exactly one element, NaN elsewhere. */
function onlyElement(rows: Row[], steps: number): Value {
  const values = new Float64Array(steps).fill(Number.NaN);
  const { present: found } = emptyRow([], false, steps);
  for (const row of rows.map(onlyNumbers)) {
    for (let step = 0; step < steps; step++) {
      if (!row.present[step] || (found[step] ?? 0) > 1) continue;
      values[step] = found[step] ? Number.NaN : (row.values[step] ?? 0);
      found[step] = (found[step] ?? 0) + 1;
    }
  }
  return { kind: 'scalar', values };
}

/** To the nearest multiple, ties up. */
function roundTo(value: number, to = 1): number {
  const inverse = 1 / to;
  return Math.floor(value * inverse + 0.5) / inverse;
}
