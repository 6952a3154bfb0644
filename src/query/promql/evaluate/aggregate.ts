import { labelKey, METRIC_NAME, type NativeHistogram } from '../../../model/index.ts';
import { PromqlError } from '../error.ts';
import { combine, describeHistogram, divide } from '../histograms/index.ts';
import { type Aggregation, isValidName, quote } from '../syntax/index.ts';
import { ACCUMULATORS } from './accumulate.ts';
import { type Group, groupRows } from './grouping.ts';
import { mergeEqual, replaceLabel } from './names.ts';
import { rowsOfNumbers } from './native.ts';
import { formatDecimal } from './number-text.ts';
import { pickRows } from './pick.ts';
import { quantileOf } from './quantile.ts';
import type { Query } from './query.ts';
import { emptyRow, hasHistograms, isEmpty, type Row, setElement, type Value, type VectorValue } from './values.ts';

/** Aggregates an evaluated vector; `parameter` is the scalar or string that some operators take. */
export async function aggregate(
  expr: Aggregation,
  rows: Row[],
  parameter: Value | undefined,
  query: Query,
): Promise<VectorValue> {
  if (expr.op === 'count_values') return { kind: 'vector', rows: await countValues(expr, rows, parameter, query) };
  const numbers = parameter?.kind === 'scalar' ? parameter.values : undefined;
  if (numbers && expr.op !== 'quantile') {
    const ranked = expr.op === 'topk' || expr.op === 'bottomk';
    return pickRows(expr, ranked ? ignoreHistograms(expr, rows, query) : rows, numbers, query);
  }
  if (numbers) warnAboutQuantiles(expr, numbers, query);
  const results: Row[] = [];
  const taken = numbers ? ignoreHistograms(expr, rows, query) : rows;
  for (const group of groupRows(taken, expr.grouping)) {
    if (query.budget.isDue()) await query.budget.pause();
    const row = numbers ? await quantileRow(group, numbers, query) : await fold(expr, group, query);
    query.budget.spend(row.values.length);
    if (!isEmpty(row)) results.push(row);
  }
  return { kind: 'vector', rows: results };
}

async function fold(expr: Aggregation, given: Group, query: Query): Promise<Row> {
  if ((expr.op === 'sum' || expr.op === 'avg') && given.rows.some(hasHistograms)) return foldMixed(expr, given, query);
  const countsAll = expr.op === 'count' || expr.op === 'group';
  const group = countsAll ? given : { ...given, rows: ignoreHistograms(expr, given.rows, query) };
  const accumulator = ACCUMULATORS[expr.op]?.();
  const steps = given.rows[0]?.values.length ?? 0;
  const result = emptyRow(group.labels, group.dropName, steps);
  if (!accumulator) return result;
  for (let step = 0; step < steps; step++) {
    if (query.budget.isDue()) await query.budget.pause();
    accumulator.reset();
    for (const row of group.rows) {
      if (!row.present[step]) continue;
      accumulator.add(row.values[step] ?? 0);
      result.present[step] = 1;
    }
    if (result.present[step]) result.values[step] = accumulator.result();
  }
  return result;
}

/** Sum or mean where native histograms are: of histograms alone or of numbers alone, never of both. */
async function foldMixed(expr: Aggregation, group: Group, query: Query): Promise<Row> {
  const steps = group.rows[0]?.values.length ?? 0;
  const result = emptyRow(group.labels, group.dropName, steps);
  for (let step = 0; step < steps; step++) {
    if (query.budget.isDue()) await query.budget.pause();
    const present = group.rows.filter((row) => row.present[step]);
    const histograms = present.flatMap((row) => row.histograms?.[step] ?? []);
    if (present.length === 0) continue;
    if (histograms.length === 0) {
      const accumulator = ACCUMULATORS[expr.op]?.();
      for (const row of present) accumulator?.add(row.values[step] ?? 0);
      setElement(result, step, accumulator?.result() ?? Number.NaN);
    } else if (histograms.length < present.length) {
      query.annotations.warn('encountered a mix of histograms and floats for aggregation', expr.expr.span);
    } else {
      const sum = sumOf(expr, histograms, query);
      if (sum) setElement(result, step, expr.op === 'avg' ? divide(sum, histograms.length) : sum);
    }
  }
  return result;
}

function sumOf(expr: Aggregation, histograms: readonly NativeHistogram[], query: Query): NativeHistogram | undefined {
  let [sum] = histograms;
  for (const next of histograms.slice(1)) {
    const added = sum && combine(sum, next, 1);
    if (added === undefined) {
      const text = 'vector contains a mix of histograms with exponential and custom buckets schemas';
      query.annotations.warn(text, expr.expr.span);
      return undefined;
    }
    if (added.boundsDiffered) {
      query.annotations.info('mismatched custom buckets were reconciled during aggregation', expr.expr.span);
    }
    if (added.resetsDiffered) {
      query.annotations.warn('conflicting counter resets during histogram aggregation', expr.expr.span);
    }
    sum = added.histogram;
  }
  return sum;
}

/** The rows without native histograms, of which an operator like `max` can make nothing; says so. */
function ignoreHistograms(expr: Aggregation, rows: Row[], query: Query): Row[] {
  if (!rows.some(hasHistograms)) return rows;
  query.annotations.info(`ignored histogram in ${expr.op} aggregation`, expr.expr.span);
  return rowsOfNumbers(rows);
}

async function quantileRow(group: Group, quantiles: Float64Array, query: Query): Promise<Row> {
  const result = emptyRow(group.labels, group.dropName, quantiles.length);
  for (let step = 0; step < quantiles.length; step++) {
    if (query.budget.isDue()) await query.budget.pause();
    const values = group.rows.filter((row) => row.present[step]).map((row) => row.values[step] ?? 0);
    if (values.length === 0) continue;
    result.values[step] = quantileOf(quantiles[step] ?? 0, Float64Array.from(values));
    result.present[step] = 1;
  }
  return result;
}

function warnAboutQuantiles(expr: Aggregation, quantiles: Float64Array, query: Query): void {
  for (const q of quantiles) {
    if (q >= 0 && q <= 1) continue;
    query.annotations.warn(`quantile value should be between 0 and 1, got ${q}`, (expr.parameter ?? expr).span);
  }
}

/** One row per distinct value, named by it in decimal. */
async function countValues(expr: Aggregation, rows: Row[], parameter: Value | undefined, query: Query): Promise<Row[]> {
  const name = parameter?.kind === 'string' ? parameter.value : '';
  if (!isValidName(name)) throw new PromqlError('execution', `invalid label name ${quote(name)}`);
  const grouping =
    expr.grouping.kind === 'by'
      ? { ...expr.grouping, labels: expr.grouping.labels.filter((label) => label !== name) }
      : expr.grouping;
  const counts = new Map<string, Row>();
  for (const group of groupRows(rows, grouping)) {
    for (const row of group.rows) {
      if (query.budget.isDue()) await query.budget.pause();
      for (let step = 0; step < row.values.length; step++) {
        if (!row.present[step]) continue;
        const histogram = row.histograms?.[step];
        const text = histogram ? describeHistogram(histogram) : formatDecimal(row.values[step] ?? 0);
        const labels = replaceLabel(group.labels, name, text);
        const key = labelKey(labels);
        let count = counts.get(key);
        if (!count) {
          query.budget.spend(row.values.length);
          count = emptyRow(labels, group.dropName && name !== METRIC_NAME, row.values.length);
          counts.set(key, count);
        }
        count.values[step] = (count.values[step] ?? 0) + 1;
        count.present[step] = 1;
      }
    }
  }
  return mergeEqual([...counts.values()]);
}
