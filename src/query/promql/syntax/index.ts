/** PromQL's text: tokens, expressions with positions, and back to text. Knows nothing of types or evaluation. */

export * from './ast.ts';
export { parseExpr } from './parse.ts';
export { positionOf, syntaxError } from './syntax-error.ts';
export { isValidName, quote } from './unquote.ts';
