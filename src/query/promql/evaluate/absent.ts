import { emptyLabels, type LabelSet, labelSet, METRIC_NAME } from '../../../model/index.ts';
import { type Expr, unwrap } from '../syntax/index.ts';
import { type Row, unmark } from './values.ts';

/** One element where none of the rows has one, with the labels that the selector fixes. */
export function absentRow(argument: Expr, rows: Row[], steps: number): Row {
  const present = new Uint8Array(steps).fill(1);
  for (const row of rows) unmark(present, row);
  return { labels: fixedLabels(argument), dropName: false, values: new Float64Array(steps).fill(1), present };
}

/** Labels that `=` matchers of a plain selector fix; one that is matched twice is fixed to nothing. */
function fixedLabels(argument: Expr): LabelSet {
  const expr = unwrap(argument);
  const selector = expr.kind === 'range' ? expr.selector : expr;
  if (selector.kind !== 'selector') return emptyLabels;
  const matchers = selector.matchers.filter((matcher) => matcher.name !== METRIC_NAME);
  const fixed = matchers.filter(
    (matcher) => matcher.op === '=' && matchers.filter((other) => other.name === matcher.name).length === 1,
  );
  return labelSet(fixed.map(({ name, value }) => [name, value] as const));
}
