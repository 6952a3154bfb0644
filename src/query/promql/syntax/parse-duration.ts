import type { Duration, DurationOperator } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { numberOf } from './number.ts';

const BINDING: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 3 };

/** A length of time inside brackets: a number of seconds, a duration, or arithmetic over these and `step()`, `range()`. */
export function parseDurationExpr(cursor: Cursor, context: string): Duration {
  const token = cursor.peek();
  const duration = parseArithmetic(cursor, context, 0);
  const seconds = constantSeconds(duration);
  if (seconds !== undefined && !(seconds > 0)) throw cursor.error('duration must be greater than 0', token);
  return duration;
}

/** What follows `offset`: one signed duration; arithmetic needs parentheses. */
export function parseOffset(cursor: Cursor): Duration {
  return parseSigned(cursor, 'offset');
}

/** Its length when it does not depend on the query. */
function constantSeconds(duration: Duration): number | undefined {
  return duration.kind === 'seconds' ? duration.seconds : undefined;
}

function parseArithmetic(cursor: Cursor, context: string, weakest: number): Duration {
  let left = parseSigned(cursor, context);
  for (;;) {
    const token = cursor.peek();
    const binding = token.kind === 'operator' ? BINDING[token.text] : undefined;
    if (binding === undefined || binding < weakest) return left;
    cursor.next();
    const right = parseArithmetic(cursor, context, token.text === '^' ? binding : binding + 1);
    left = { kind: 'arithmetic', op: token.text as DurationOperator, left, right }; // it is in the table of operators
  }
}

function parseSigned(cursor: Cursor, context: string): Duration {
  const sign = cursor.takeSign();
  const duration = parsePrimary(cursor, context);
  if (sign === 1) return duration;
  return duration.kind === 'seconds'
    ? { kind: 'seconds', seconds: -duration.seconds }
    : { kind: 'negate', of: duration };
}

function parsePrimary(cursor: Cursor, context: string): Duration {
  const token = cursor.peek();
  if (token.kind === 'number' || token.kind === 'duration') {
    cursor.next();
    return { kind: 'seconds', seconds: numberOf(token.text) };
  }
  if (cursor.isPunctuation('(')) {
    cursor.next();
    const inner = parseArithmetic(cursor, context, 0);
    cursor.take(')', context);
    return inner;
  }
  const name = token.kind === 'identifier' ? token.text.toLowerCase() : '';
  if (name === 'step' || name === 'range') {
    cursor.next();
    cursor.take('(', context);
    cursor.take(')', context);
    return { kind: name };
  }
  if (name === 'min_of' || name === 'max_of') return parsePair(cursor, context);
  throw cursor.unexpected(context, 'number, duration, step(), or range()');
}

function parsePair(cursor: Cursor, context: string): Duration {
  const op = /^min/i.test(cursor.next().text) ? 'min_of' : 'max_of';
  cursor.take('(', context);
  const left = parseArithmetic(cursor, context, 0);
  cursor.take(',', context);
  const right = parseArithmetic(cursor, context, 0);
  cursor.take(')', context);
  return { kind: 'arithmetic', op, left, right };
}
