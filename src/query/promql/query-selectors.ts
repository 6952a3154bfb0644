import type { Matcher } from '../sources/index.ts';
import { checkTypes } from './check.ts';
import { type Expr, parseExpr } from './syntax/index.ts';

/** The matchers of every selector in a query, in the order they are written. Throws PromqlError. */
export function selectorsOf(query: string): (readonly Matcher[])[] {
  const expr = parseExpr(query);
  checkTypes(query, expr);
  return [...selectorsIn(expr)];
}

function* selectorsIn(expr: Expr): Generator<readonly Matcher[]> {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return;
    case 'selector':
      yield expr.matchers;
      return;
    case 'range':
      yield expr.selector.matchers;
      return;
    case 'binary':
      yield* selectorsIn(expr.left);
      yield* selectorsIn(expr.right);
      return;
    case 'call':
      for (const arg of expr.args) yield* selectorsIn(arg);
      return;
    case 'aggregation':
      if (expr.parameter) yield* selectorsIn(expr.parameter);
      yield* selectorsIn(expr.expr);
      return;
    default:
      yield* selectorsIn(expr.expr);
  }
}
