import { dropLabels, keepLabels, type LabelSet, labelKey, labelValue } from '../../../model/index.ts';
import { PromqlError } from '../error.ts';
import { type Binary, isComparison, type VectorMatching } from '../syntax/index.ts';
import { describeLabels, dropNames, mergeEqual, replaceLabel, withoutName } from './names.ts';
import { operateWithHistograms } from './native-operators.ts';
import { OPERATORS } from './operators.ts';
import type { Query } from './query.ts';
import { matchLabels, signatureOf } from './signature.ts';
import { elementAt, emptyRow, isEmpty, mark, type Row, setElement, unmark } from './values.ts';

/**
 * Arithmetic and comparison between two vectors. Elements pair up by signature; the many side of a grouping may have
 * several per signature, the one side has one at a time. Which rows pair up does not depend on the point, so signatures
 * are made once per row, and only the rules about "at a time" are checked per point.
 */
export async function matchVectors(expr: Binary, left: Row[], right: Row[], query: Query): Promise<Row[]> {
  if (!OPERATORS[expr.op]) {
    if (left.length > 0 && right.length > 0)
      query.annotations.info(`incompatible sample types encountered for binary operator "${expr.op}"`, expr.span);
    return [];
  }
  const swapped = expr.matching.cardinality === 'group-right';
  const [many, one] = swapped ? [right, left] : [left, right];
  const groups = pairUp(many, one, expr.matching);
  const anyBoth = bothSides(expr, left, right);
  const results: Row[] = [];
  for (const group of groups) {
    if (query.budget.isDue()) await query.budget.pause();
    results.push(...matchGroup({ expr, ...group, swapped, anyBoth }, query));
  }
  const rows = results.filter((row) => !isEmpty(row));
  const filters = isComparison(expr.op) && !expr.returnBool;
  return filters ? mergeEqual(rows) : dropNames(rows, query);
}

interface Group {
  many: Row[];
  one: Row[];
}

interface GroupMatch extends Group {
  expr: Binary;
  swapped: boolean;
  /** Points at which either side has anything at all; elsewhere no rule is checked. */
  anyBoth: Uint8Array;
}

function pairUp(many: Row[], one: Row[], matching: VectorMatching): Group[] {
  const signature = signatureOf(matching);
  const groups = new Map<string, Group>();
  const groupOf = (row: Row): Group => {
    const key = signature(row.labels);
    const known = groups.get(key);
    if (known) return known;
    const fresh = { many: [], one: [] };
    groups.set(key, fresh);
    return fresh;
  };
  // In the order of the many side, since results are given in it.
  for (const row of many) groupOf(row).many.push(row);
  for (const row of one) groupOf(row).one.push(row);
  return [...groups.values()];
}

function bothSides(expr: Binary, left: Row[], right: Row[]): Uint8Array {
  const steps = (left[0] ?? right[0])?.present.length ?? 0;
  const [anyLeft, anyRight] = [left, right].map((rows) => {
    const any = new Uint8Array(steps);
    for (const row of rows) mark(any, row);
    return any;
  });
  const { fillLeft, fillRight } = expr.matching;
  return new Uint8Array(steps).map((_, step) => {
    const hasLeft = anyLeft?.[step] || fillLeft !== undefined;
    const hasRight = anyRight?.[step] || fillRight !== undefined;
    return hasLeft && hasRight ? 1 : 0;
  });
}

function matchGroup(match: GroupMatch, query: Query): Row[] {
  const { many, one } = match;
  const { manyFill, oneFill } = fills(match);
  if ((many.length === 0 && manyFill === undefined) || (one.length === 0 && oneFill === undefined)) {
    if (one.length > 1) checkOneSide(match);
    return [];
  }
  if (one.length > 1) checkOneSide(match);
  if (match.expr.matching.cardinality === 'one-to-one') checkManySide(match, oneFill);
  query.budget.spend(Math.max(many.length, 1) * Math.max(one.length, 1) * match.anyBoth.length);

  const results: Row[] = [];
  for (const row of many) {
    for (const partner of one) results.push(combine(match, row, partner, query));
    if (oneFill !== undefined) results.push(combine(match, row, standIn(match, row, one, oneFill), query));
  }
  if (manyFill !== undefined) {
    for (const partner of one) results.push(combine(match, standIn(match, partner, many, manyFill), partner, query));
  }
  if (results.length > 1 && match.expr.matching.cardinality !== 'one-to-one') checkGrouped(results);
  return mergeEqual(results);
}

function fills({ expr, swapped }: GroupMatch): { manyFill: number | undefined; oneFill: number | undefined } {
  const { fillLeft, fillRight } = expr.matching;
  return swapped ? { manyFill: fillRight, oneFill: fillLeft } : { manyFill: fillLeft, oneFill: fillRight };
}

/** An element with the matching labels of `row` wherever no row of the other side has one. */
function standIn({ expr }: GroupMatch, row: Row, others: Row[], value: number): Row {
  const present = new Uint8Array(row.present.length).fill(1);
  for (const other of others) unmark(present, other);
  return {
    labels: matchLabels(row.labels, expr.matching),
    dropName: row.dropName,
    values: new Float64Array(present.length).fill(value),
    present,
  };
}

function checkOneSide({ expr, one, swapped, anyBoth }: GroupMatch): void {
  for (let step = 0; step < anyBoth.length; step++) {
    if (!anyBoth[step]) continue;
    const present = one.filter((row) => row.present[step]);
    const [first, second] = present;
    if (!first || !second) continue;
    const side = swapped ? 'left' : 'right';
    throw new PromqlError(
      'execution',
      `found duplicate series for the match group ${describeLabels(matchLabels(first.labels, expr.matching))} on the ${side} hand-side of the operation: [${describeLabels(second.labels)}, ${describeLabels(first.labels)}];many-to-many matching not allowed: matching labels must be unique on one side`,
    );
  }
}

/** Also when the comparison would have filtered one of the pairs out. */
function checkManySide({ many, one, anyBoth }: GroupMatch, oneFill: number | undefined): void {
  if (many.length < 2) return;
  for (let step = 0; step < anyBoth.length; step++) {
    if (oneFill === undefined && !one.some((row) => row.present[step])) continue;
    let found = 0;
    for (const row of many) found += row.present[step] ?? 0;
    if (found > 1) {
      throw new PromqlError(
        'execution',
        'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)',
      );
    }
  }
}

function checkGrouped(results: Row[]): void {
  const seen = new Map<string, Uint8Array>();
  for (const row of results) {
    const key = labelKey(row.labels);
    const known = seen.get(key);
    if (!known) {
      seen.set(key, row.present.slice());
      continue;
    }
    row.present.forEach((is, step) => {
      if (is && known[step])
        throw new PromqlError('execution', 'multiple matches for labels: grouping labels must ensure unique matches');
      known[step] ||= is;
    });
  }
}

function combine({ expr, swapped }: GroupMatch, many: Row, one: Row, query: Query): Row {
  const apply = OPERATORS[expr.op];
  const steps = many.values.length;
  const result = emptyRow(resultLabels(expr, many.labels, one.labels), many.dropName, steps);
  const filters = isComparison(expr.op) && !expr.returnBool;
  const [left, right] = swapped ? [one, many] : [many, one];
  for (let step = 0; step < steps; step++) {
    if (!many.present[step] || !one.present[step]) continue;
    if (left.histograms?.[step] || right.histograms?.[step]) {
      const outcome = operateWithHistograms(expr, elementAt(left, step), elementAt(right, step), query);
      if (outcome !== undefined) setElement(result, step, outcome);
      continue;
    }
    const leftValue = left.values[step] ?? 0;
    const outcome = apply?.(leftValue, right.values[step] ?? 0) ?? Number.NaN;
    if (filters && outcome === 0) continue;
    result.values[step] = filters ? leftValue : outcome;
    result.present[step] = 1;
  }
  return result;
}

function resultLabels(expr: Binary, many: LabelSet, one: LabelSet): LabelSet {
  const { matching } = expr;
  let labels = isComparison(expr.op) && !expr.returnBool ? many : withoutName(many);
  if (matching.cardinality === 'one-to-one') {
    const names = new Set(matching.labels);
    labels = matching.kind === 'on' ? keepLabels(labels, names) : dropLabels(labels, names);
  }
  for (const name of matching.include) labels = replaceLabel(labels, name, labelValue(one, name));
  return labels;
}
