import type { Matcher } from '../sources/index.ts';
import { checkTypes } from './check.ts';
import { PromqlError } from './error.ts';
import { parseExpr } from './syntax/index.ts';

/** The matchers of a plain selector such as `up{job="x"}`; throws PromqlError when the text is anything else. */
export function parseSeriesSelector(text: string): Matcher[] {
  const expr = parseExpr(text);
  checkTypes(text, expr);
  if (expr.kind === 'selector' && !expr.time.at && !expr.time.offset) return expr.matchers;
  throw new PromqlError('bad_data', `1:1: parse error: a series selector is wanted here, not any expression`);
}
