import { type Binary, isComparison, isSetOperator } from '../syntax/index.ts';
import { matchVectors } from './match.ts';
import { dropNames } from './names.ts';
import { scaleBy } from './native-operators.ts';
import { OPERATORS } from './operators.ts';
import type { Query } from './query.ts';
import { combineSets } from './sets.ts';
import type { Histograms, ScalarValue, Value, VectorValue } from './values.ts';

/** Applies a binary operator to two evaluated sides. */
export async function evaluateBinary(expr: Binary, left: Value, right: Value, query: Query): Promise<Value> {
  if (left.kind === 'string' || right.kind === 'string')
    throw new Error('strings have no operators; the type check lets none through');
  if (left.kind === 'scalar' && right.kind === 'scalar') return betweenScalars(expr, left, right);
  if (left.kind === 'vector' && right.kind === 'vector') {
    const rows = isSetOperator(expr.op)
      ? combineSets(expr, left.rows, right.rows, query)
      : await matchVectors(expr, left.rows, right.rows, query);
    return { kind: 'vector', rows };
  }
  return left.kind === 'vector'
    ? withScalar(expr, left, right as ScalarValue, false, query) // both kinds that are left are handled above
    : withScalar(expr, right as VectorValue, left, true, query);
}

function betweenScalars(expr: Binary, left: ScalarValue, right: ScalarValue): ScalarValue {
  const apply = OPERATORS[expr.op];
  return {
    kind: 'scalar',
    values: left.values.map((value, step) => apply?.(value, right.values[step] ?? 0) ?? Number.NaN),
  };
}

/** A filter keeps the vector's values, on whichever side it stands. */
function withScalar(
  expr: Binary,
  side: VectorValue,
  scalar: ScalarValue,
  scalarIsLeft: boolean,
  query: Query,
): VectorValue {
  const apply = OPERATORS[expr.op];
  if (!apply) {
    query.annotations.info(`incompatible sample types encountered for binary operator "${expr.op}"`, expr.span);
    return { kind: 'vector', rows: [] };
  }
  const filters = isComparison(expr.op) && !expr.returnBool;
  const rows = side.rows.map((row) => {
    const values = row.values.slice();
    const present = row.present.slice();
    const scaled: Histograms = [];
    for (let step = 0; step < values.length; step++) {
      if (!present[step]) continue;
      const histogram = row.histograms?.[step];
      if (histogram) {
        scaled[step] = scaleBy(expr, histogram, scalar.values[step] ?? 0, scalarIsLeft, query);
        if (!scaled[step]) present[step] = 0;
        continue;
      }
      const value = row.values[step] ?? 0;
      const other = scalar.values[step] ?? 0;
      const result = scalarIsLeft ? apply(other, value) : apply(value, other);
      if (!filters) values[step] = result;
      else if (result === 0) present[step] = 0;
    }
    return { ...row, values, present, ...(row.histograms && { histograms: scaled }) };
  });
  query.budget.spend(rows.length * scalar.values.length);
  return { kind: 'vector', rows: filters ? rows : dropNames(rows, query) };
}
