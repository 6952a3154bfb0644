import type { Call, Expr } from '../syntax/index.ts';
import type { Query } from './query.ts';
import type { Points, RangeValue, Row } from './values.ts';

/** A call of a function with its arguments, each evaluated when asked for. The type check has seen to their kinds. */
export interface FunctionCall {
  expr: Call;
  points: Points;
  query: Query;
  arg(index: number): Expr;
  vector(index: number): Promise<Row[]>;
  scalar(index: number): Promise<Float64Array>;
  range(index: number): Promise<RangeValue>;
  /** The string arguments from `index` on. */
  strings(index: number): Promise<string[]>;
}
