import { METRIC_NAME } from '../../../model/index.ts';
import type { GridAggregation, GridFunction } from '../../sources/index.ts';
import { FUNCTIONS } from '../functions.ts';
import { type Aggregation, type Span, unwrap, type VectorSelector } from '../syntax/index.ts';
import { aggregate } from './aggregate.ts';
import { noteNonCounters } from './counter-names.ts';
import { durationMs, type Query } from './query.ts';
import { rowsOf, shiftPoints } from './selector.ts';
import type { Points, Row } from './values.ts';

/**
 * An aggregation of selected series, folded where the samples are if the source finds that worth it; undefined when the
 * source can't. Whoever asks gets the same answer either way, but for the order of a large sum's terms.
 */
export async function pushedAggregation(expr: Aggregation, points: Points, query: Query): Promise<Row[] | undefined> {
  const grid = query.reader.grid;
  const leaf = pushableLeaf(expr, query);
  const op = PUSHABLE.get(expr.op);
  if (!grid || !leaf || !op || !grid.functions.has(leaf.function) || !grid.aggregations.has(op)) return undefined;
  const { sampled, spread } = shiftPoints(leaf.selector, points, query);
  const columns = await query.reader.gridOf(grid, {
    matchers: leaf.selector.matchers,
    scope: query.scope,
    function: leaf.function,
    windowMs: leaf.windowMs,
    ...sampled,
    aggregate: { op, grouping: expr.grouping },
  });
  if (columns.incomplete) return undefined;
  const rows = rowsOf(columns, sampled.steps);
  if (leaf.counter)
    noteNonCounters(
      rows.map((row) => ({ ...row, labels: [METRIC_NAME, leaf.name] })),
      query,
      leaf.span,
    );
  return spread(columns.folded ? rows : (await aggregate(expr, rows, undefined, query)).rows);
}

const PUSHABLE: ReadonlyMap<string, GridAggregation> = new Map([
  ['sum', 'sum'],
  ['count', 'count'],
]);

interface Leaf {
  selector: VectorSelector;
  name: string;
  function: GridFunction;
  windowMs: number;
  counter: boolean;
  span: Span;
}

/** A selector of one metric, or a function over its windows. Several metrics could give equal labels, which is an error here. */
function pushableLeaf(expr: Aggregation, query: Query): Leaf | undefined {
  const inner = unwrap(expr.expr);
  if (expr.grouping.labels.includes(METRIC_NAME)) return undefined;
  if (inner.kind === 'selector') return leafOf(inner, 'last', query.lookbackMs, { counter: false, span: inner.span });
  if (inner.kind !== 'call') return undefined;
  const spec = FUNCTIONS.get(inner.name);
  const argument = inner.args[0];
  const range = argument && unwrap(argument);
  if (spec?.kind !== 'window' || !spec.grid || range?.kind !== 'range') return undefined;
  return leafOf(range.selector, spec.grid, durationMs(range.range, query), {
    counter: spec.counter ?? false,
    span: argument?.span ?? range.span,
  });
}

function leafOf(
  selector: VectorSelector,
  name: GridFunction,
  windowMs: number,
  about: { counter: boolean; span: Span },
): Leaf | undefined {
  const metric = selector.matchers.find((matcher) => matcher.name === METRIC_NAME && matcher.op === '=');
  if (!metric || windowMs <= 0) return undefined;
  return { selector, name: metric.value, function: name, windowMs, ...about };
}
