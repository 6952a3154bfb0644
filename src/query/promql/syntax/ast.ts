import type { Matcher } from '../../sources/index.ts';

/** Where a piece of the query stands: offsets into its text, `end` not included. */
export interface Span {
  start: number;
  end: number;
}

export type Expr =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | RangeSelector
  | Subquery
  | Call
  | Aggregation
  | Binary
  | Unary
  | Paren;

export interface NumberLiteral {
  kind: 'number';
  value: number;
  span: Span;
}

export interface StringLiteral {
  kind: 'string';
  value: string;
  span: Span;
}

export interface VectorSelector {
  kind: 'selector';
  /** The name before the braces or quoted inside them; also among the matchers. */
  name?: string;
  matchers: Matcher[];
  time: TimeShift;
  span: Span;
}

export interface RangeSelector {
  kind: 'range';
  selector: VectorSelector;
  range: Duration;
  span: Span;
}

export interface Subquery {
  kind: 'subquery';
  expr: Expr;
  range: Duration;
  /** The engine's default step when left out. */
  step?: Duration;
  time: TimeShift;
  span: Span;
}

/** `offset` and `@` of a selector or subquery. */
export interface TimeShift {
  offset?: Duration;
  at?: { kind: 'time'; ms: number } | { kind: 'start' } | { kind: 'end' };
}

/** A length of time, which may be arithmetic over the query's own step and range. */
export type Duration =
  | { kind: 'seconds'; seconds: number }
  | { kind: 'step' }
  | { kind: 'range' }
  | { kind: 'negate'; of: Duration }
  | { kind: 'arithmetic'; op: DurationOperator; left: Duration; right: Duration };

export type DurationOperator = '+' | '-' | '*' | '/' | '%' | '^' | 'min_of' | 'max_of';

export interface Call {
  kind: 'call';
  name: string;
  args: Expr[];
  span: Span;
}

export interface Aggregation {
  kind: 'aggregation';
  op: AggregationOperator;
  parameter?: Expr;
  expr: Expr;
  grouping: { kind: 'by' | 'without'; labels: string[] };
  span: Span;
}

export const AGGREGATION_OPERATORS = [
  'sum', 'avg', 'count', 'min', 'max', 'group', 'stddev', 'stdvar', 'topk', 'bottomk', 'quantile', 'count_values',
  'limitk', 'limit_ratio',
] as const; // biome-ignore format: a list to read
export type AggregationOperator = (typeof AGGREGATION_OPERATORS)[number];

export interface Binary {
  kind: 'binary';
  op: BinaryOperator;
  left: Expr;
  right: Expr;
  /** Comparisons that answer 0 or 1 instead of filtering. */
  returnBool: boolean;
  matching: VectorMatching;
  span: Span;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^' | 'atan2' | '</' | '>/';
export type ComparisonOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';
export type SetOperator = 'and' | 'or' | 'unless';
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | SetOperator;

export function isComparison(op: BinaryOperator): op is ComparisonOperator {
  return op === '==' || op === '!=' || op === '<' || op === '>' || op === '<=' || op === '>=';
}

export function isSetOperator(op: BinaryOperator): op is SetOperator {
  return op === 'and' || op === 'or' || op === 'unless';
}

export interface VectorMatching {
  /** `group_left` makes the left side the many side. */
  cardinality: 'one-to-one' | 'group-left' | 'group-right';
  kind: 'on' | 'ignoring';
  labels: string[];
  /** Labels that a grouping takes over from the one side. */
  include: string[];
  /** What stands in for a missing element of a side. */
  fillLeft?: number;
  fillRight?: number;
  /** Whether the query said anything at all about matching. */
  explicit: boolean;
}

export interface Unary {
  kind: 'unary';
  op: '+' | '-';
  expr: Expr;
  span: Span;
}

export interface Paren {
  kind: 'paren';
  expr: Expr;
  span: Span;
}

/** The expression inside any number of parentheses. */
export function unwrap(expr: Expr): Exclude<Expr, Paren> {
  let inner = expr;
  while (inner.kind === 'paren') inner = inner.expr;
  return inner;
}
