import { PromqlError } from '../error.ts';
import type { Aggregation } from '../syntax/index.ts';
import { groupRows } from './grouping.ts';
import { labelHashRatio } from './label-hash.ts';
import { formatNumber } from './number-text.ts';
import type { Query } from './query.ts';
import { isEmpty, type Row, type VectorValue } from './values.ts';

/** `topk`, `bottomk`, `limitk`, `limit_ratio`: elements of the input, chosen per group and point. */
export async function pickRows(
  expr: Aggregation,
  rows: Row[],
  parameter: Float64Array,
  query: Query,
): Promise<VectorValue> {
  const limits = expr.op === 'limit_ratio' ? checkRatios(expr, parameter, query) : checkCounts(parameter);
  const picked: Row[] = [];
  for (const group of groupRows(rows, expr.grouping)) {
    const chosen = group.rows.map((row) => ({ ...row, present: new Uint8Array(row.present.length) }));
    query.budget.spend(group.rows.length * parameter.length);
    const order = new Map<number, number>();
    for (let step = 0; step < parameter.length; step++) {
      if (query.budget.isDue()) await query.budget.pause();
      choose(expr, group.rows, limits[step] ?? 0, step).forEach((index, place) => {
        const row = chosen[index];
        if (row) row.present[step] = 1;
        if (step === 0) order.set(index, place);
      });
    }
    // The order of the first point is the order of an instant query, which has no other.
    const inOrder = chosen.map((row, index) => ({ row, place: order.get(index) ?? Number.POSITIVE_INFINITY }));
    picked.push(...inOrder.sort((a, b) => a.place - b.place || 0).map(({ row }) => row));
  }
  return {
    kind: 'vector',
    rows: picked.filter((row) => !isEmpty(row)),
    ordered: expr.op === 'topk' || expr.op === 'bottomk',
  };
}

/** Indexes of the chosen rows, best first. */
function choose(expr: Aggregation, rows: Row[], limit: number, step: number): number[] {
  const present = rows.flatMap((row, index) => (row.present[step] ? [index] : []));
  if (expr.op === 'limitk') return present.slice(0, Math.max(0, limit));
  if (expr.op === 'limit_ratio') return present.filter((index) => isInRatio(rows[index], limit));
  const value = (index: number) => rows[index]?.values[step] ?? 0;
  const sign = expr.op === 'topk' ? -1 : 1;
  return first(limit, present, (a, b) => compareNanLast(sign * value(a), sign * value(b)));
}

/** The first few in order, of equal ones the earlier; without sorting them all when few are wanted. */
function first(limit: number, items: number[], compare: (a: number, b: number) => number): number[] {
  if (limit < 1) return [];
  if (limit >= items.length || limit > 32) return items.sort(compare).slice(0, limit);
  const best: number[] = [];
  for (const item of items) {
    const last = best.at(-1);
    if (best.length === limit && last !== undefined && compare(item, last) >= 0) continue;
    let place = best.length;
    while (place > 0 && compare(item, best[place - 1] ?? 0) < 0) place--;
    best.splice(place, 0, item);
    if (best.length > limit) best.pop();
  }
  return best;
}

function compareNanLast(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A negative ratio chooses exactly what the positive complement leaves out. */
function isInRatio(row: Row | undefined, ratio: number): boolean {
  const place = row ? labelHashRatio(row.labels) : 1;
  return ratio >= 0 ? place < ratio : place >= 1 + ratio;
}

function checkCounts(parameter: Float64Array): Float64Array {
  if (parameter.some(Number.isNaN)) throw new PromqlError('execution', 'Parameter value is NaN');
  const over = parameter.find((value) => value >= 2 ** 63);
  if (over !== undefined) throw new PromqlError('execution', `Scalar value ${formatNumber(over)} overflows int64`);
  const under = parameter.find((value) => value <= -(2 ** 63));
  if (under !== undefined) throw new PromqlError('execution', `Scalar value ${formatNumber(under)} underflows int64`);
  return parameter.map(Math.trunc);
}

function checkRatios(expr: Aggregation, parameter: Float64Array, query: Query): Float64Array {
  if (parameter.some(Number.isNaN)) throw new PromqlError('execution', 'Ratio value is NaN');
  return parameter.map((ratio) => {
    const capped = Math.max(-1, Math.min(1, ratio));
    if (capped !== ratio) {
      query.annotations.warn(
        `ratio value should be between -1 and 1, got ${formatNumber(ratio)}, capping to ${formatNumber(capped)}`,
        (expr.parameter ?? expr).span,
      );
    }
    return capped;
  });
}
