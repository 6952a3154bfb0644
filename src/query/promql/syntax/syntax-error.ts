import { type Position, PromqlError } from '../error.ts';
import type { Span } from './ast.ts';

/** An error about a place in the query, worded as Prometheus does: `1:7: parse error: …`. */
export function syntaxError(text: string, at: Span | number, message: string): PromqlError {
  const position = positionOf(text, typeof at === 'number' ? at : at.start);
  return new PromqlError('bad_data', `${position.line}:${position.column}: parse error: ${message}`, { position });
}

/** Line and column (in characters, both from 1) of an offset. */
export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}
