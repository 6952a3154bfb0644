import type { NativeHistogram } from '../../../model/index.ts';
import { combine, divide, sameHistogram, scale } from '../histograms/index.ts';
import type { Binary } from '../syntax/index.ts';
import type { Query } from './query.ts';

/** Binary operators where a side is a native histogram. Undefined: there is no result, and the author is told why. */

type Element = number | NativeHistogram;

/** A vector's histogram with a scalar: only multiplied, or divided by it. */
export function scaleBy(
  expr: Binary,
  histogram: NativeHistogram,
  scalar: number,
  scalarIsLeft: boolean,
  query: Query,
): NativeHistogram | undefined {
  if (expr.op === '*') return scale(histogram, scalar);
  if (expr.op === '/' && !scalarIsLeft) return divide(histogram, scalar);
  return scalarIsLeft ? refuse(expr, scalar, histogram, query) : refuse(expr, histogram, scalar, query);
}

/** Elements of two vectors. A comparison that filters keeps the left one. */
export function operateWithHistograms(expr: Binary, left: Element, right: Element, query: Query): Element | undefined {
  if (typeof left === 'number' || typeof right === 'number') {
    if (typeof left !== 'number' && typeof right === 'number') return scaleBy(expr, left, right, false, query);
    if (typeof left === 'number' && typeof right !== 'number') return scaleBy(expr, right, left, true, query);
    return refuse(expr, left, right, query);
  }
  switch (expr.op) {
    case '+':
    case '-':
      return addUp(expr, left, right, query);
    case '==':
    case '!=': {
      const holds = sameHistogram(left, right) === (expr.op === '==');
      if (expr.returnBool) return holds ? 1 : 0;
      return holds ? left : undefined;
    }
    default:
      return refuse(expr, left, right, query);
  }
}

function addUp(expr: Binary, left: NativeHistogram, right: NativeHistogram, query: Query) {
  const [sign, operation] = expr.op === '+' ? ([1, 'addition'] as const) : ([-1, 'subtraction'] as const);
  const combined = combine(left, right, sign);
  if (combined === undefined) {
    query.annotations.warn(`incompatible bucket layout encountered for binary operator ${expr.op}`, expr.span);
    return undefined;
  }
  if (combined.boundsDiffered) {
    query.annotations.info(`mismatched custom buckets were reconciled during ${operation}`, expr.span);
  }
  if (combined.resetsDiffered) {
    query.annotations.warn(`conflicting counter resets during histogram ${operation}`, expr.span);
  }
  // A difference may be negative anywhere, so it is no counter.
  return sign === 1 ? combined.histogram : { ...combined.histogram, resetHint: 'gauge' as const }; // literal
}

function refuse(expr: Binary, left: Element, right: Element, query: Query): undefined {
  const kind = (element: Element) => (typeof element === 'number' ? 'float' : 'histogram');
  query.annotations.info(
    `incompatible sample types encountered for binary operator "${expr.op}": ${kind(left)} ${expr.op} ${kind(right)}`,
    expr.span,
  );
  return undefined;
}
