import { labelKey, METRIC_NAME } from '../../../model/index.ts';
import { PromqlError } from '../error.ts';
import { type Aggregation, isValidName, quote } from '../syntax/index.ts';
import { ACCUMULATORS } from './accumulate.ts';
import { type Group, groupRows } from './grouping.ts';
import { mergeEqual, replaceLabel } from './names.ts';
import { formatDecimal } from './number-text.ts';
import { pickRows } from './pick.ts';
import { quantileOf } from './quantile.ts';
import type { Query } from './query.ts';
import { emptyRow, isEmpty, type Row, type Value, type VectorValue } from './values.ts';

/** Aggregates an evaluated vector; `parameter` is the scalar or string that some operators take. */
export async function aggregate(
  expr: Aggregation,
  rows: Row[],
  parameter: Value | undefined,
  query: Query,
): Promise<VectorValue> {
  if (expr.op === 'count_values') return { kind: 'vector', rows: await countValues(expr, rows, parameter, query) };
  const numbers = parameter?.kind === 'scalar' ? parameter.values : undefined;
  if (numbers && expr.op !== 'quantile') return pickRows(expr, rows, numbers, query);
  if (numbers) warnAboutQuantiles(expr, numbers, query);
  const results: Row[] = [];
  for (const group of groupRows(rows, expr.grouping)) {
    if (query.budget.isDue()) await query.budget.pause();
    const row = numbers ? await quantileRow(group, numbers, query) : await fold(expr, group, query);
    query.budget.spend(row.values.length);
    if (!isEmpty(row)) results.push(row);
  }
  return { kind: 'vector', rows: results };
}

async function fold(expr: Aggregation, group: Group, query: Query): Promise<Row> {
  const accumulator = ACCUMULATORS[expr.op]?.();
  const steps = group.rows[0]?.values.length ?? 0;
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
        const labels = replaceLabel(group.labels, name, formatDecimal(row.values[step] ?? 0));
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
