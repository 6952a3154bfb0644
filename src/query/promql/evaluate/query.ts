import type { Scope } from '../../../model/index.ts';
import type { Duration, TimeShift } from '../syntax/index.ts';
import type { Annotations } from './annotations.ts';
import type { Budget } from './budget.ts';
import type { Reader } from './reader.ts';

/** What stays the same while one query is evaluated. */
export interface Query {
  startMs: number;
  endMs: number;
  /** Zero for an instant query. */
  stepMs: number;
  isRange: boolean;
  lookbackMs: number;
  /** Step of subqueries that name none. */
  defaultStepMs: number;
  scope: Scope;
  /** Names dropped by functions are dropped at the very end only (Prometheus' feature of that name). */
  delayNames: boolean;
  annotations: Annotations;
  budget: Budget;
  reader: Reader;
}

/** The length in whole milliseconds. */
export function durationMs(duration: Duration, query: Query): number {
  return Math.round(durationSeconds(duration, query) * 1000);
}

function durationSeconds(duration: Duration, query: Query): number {
  switch (duration.kind) {
    case 'seconds':
      return duration.seconds;
    case 'step':
      return query.stepMs / 1000;
    case 'range':
      return (query.endMs - query.startMs) / 1000;
    case 'negate':
      return -durationSeconds(duration.of, query);
    case 'arithmetic':
      return calculate(duration.op, durationSeconds(duration.left, query), durationSeconds(duration.right, query));
  }
}

function calculate(op: (Duration & { kind: 'arithmetic' })['op'], left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '^':
      return left ** right;
    case 'min_of':
      return Math.min(left, right);
    case 'max_of':
      return Math.max(left, right);
  }
}

/** `@` and `offset` in milliseconds; `start()` and `end()` are the outer query's, also inside subqueries. */
export function resolveShift(time: TimeShift, query: Query): { atMs?: number; offsetMs: number } {
  const offsetMs = time.offset ? durationMs(time.offset, query) : 0;
  if (!time.at) return { offsetMs };
  return {
    offsetMs,
    atMs: time.at.kind === 'time' ? time.at.ms : time.at.kind === 'start' ? query.startMs : query.endMs,
  };
}
