import type { BinaryOperator } from '../syntax/index.ts';

/** What an operator makes of two numbers; comparisons give 1 or 0. Set operators and trims are not about numbers. */
export const OPERATORS: Readonly<Partial<Record<BinaryOperator, (left: number, right: number) => number>>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
  '==': (left, right) => (left === right ? 1 : 0),
  '!=': (left, right) => (left !== right ? 1 : 0),
  '<': (left, right) => (left < right ? 1 : 0),
  '>': (left, right) => (left > right ? 1 : 0),
  '<=': (left, right) => (left <= right ? 1 : 0),
  '>=': (left, right) => (left >= right ? 1 : 0),
};

/** IEEE 754's pow, which JavaScript leaves at 1 to any power and -1 to an infinite one. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** Go's `math.Max` and `math.Min`: an infinity beats even NaN. */
export function maxOf(a: number, b: number): number {
  return a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(a, b);
}

export function minOf(a: number, b: number): number {
  return a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY ? Number.NEGATIVE_INFINITY : Math.min(a, b);
}
