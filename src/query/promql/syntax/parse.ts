import {
  AGGREGATION_OPERATORS,
  type AggregationOperator,
  type BinaryOperator,
  type Expr,
  isComparison,
  isSetOperator,
  type TimeShift,
  type VectorMatching,
} from './ast.ts';
import { Cursor } from './cursor.ts';
import { parseNumber } from './number.ts';
import { parseDurationExpr, parseOffset } from './parse-duration.ts';
import { parseGroupingLabels, parseSelector, selectorStarts } from './parse-selector.ts';

/**
 * Parses one PromQL expression; throws PromqlError with position and Prometheus' wording. Written by hand: the npm
 * grammar binds `offset`, `@` and a sign more weakly or strongly than Prometheus does (`-1^2` becomes 1 and
 * `a + b offset 5m` shifts the sum), so its trees can't be evaluated; a test keeps the two in step on what is valid.
 */
export function parseExpr(text: string): Expr {
  const cursor = new Cursor(text);
  if (cursor.peek().kind === 'end') throw cursor.error('no expression found in input', cursor.peek());
  const expr = parseBinary(cursor, 0);
  if (cursor.peek().kind !== 'end') throw cursor.unexpected('');
  return expr;
}

/** Levels of binding; higher binds tighter. */
const BINDING: Record<BinaryOperator, number> = {
  or: 1, and: 2, unless: 2,
  '==': 3, '!=': 3, '<': 3, '>': 3, '<=': 3, '>=': 3, '</': 3, '>/': 3,
  '+': 4, '-': 4, '*': 5, '/': 5, '%': 5, atan2: 5, '^': 6,
}; // biome-ignore format: a table to read
const POWER = 6;

function parseBinary(cursor: Cursor, weakest: number): Expr {
  let left = parseUnary(cursor);
  for (;;) {
    const op = operatorAt(cursor);
    if (!op || BINDING[op] < weakest) return left;
    const at = cursor.next();
    const returnBool = cursor.takeWord('bool');
    if (returnBool && !isComparison(op)) {
      throw cursor.error('bool modifier can only be used on comparison operators', at);
    }
    const matching = parseMatching(cursor, op);
    // Powers group from the right, everything else from the left.
    const right = parseBinary(cursor, op === '^' ? BINDING[op] : BINDING[op] + 1);
    left = {
      kind: 'binary',
      op,
      left,
      right,
      returnBool,
      matching,
      span: { start: left.span.start, end: right.span.end },
    };
  }
}

function operatorAt(cursor: Cursor): BinaryOperator | undefined {
  const token = cursor.peek();
  if (token.kind !== 'operator' && token.kind !== 'word') return undefined;
  const text = token.text.toLowerCase();
  return Object.hasOwn(BINDING, text) ? (text as BinaryOperator) : undefined; // the table's keys are exactly the operators
}

/** A sign binds weaker than a power and tighter than everything else: `-1^2` is -1. */
function parseUnary(cursor: Cursor): Expr {
  const token = cursor.peek();
  if (token.kind !== 'operator' || (token.text !== '-' && token.text !== '+')) return parsePostfix(cursor);
  cursor.next();
  const operand = parseBinary(cursor, POWER);
  const span = { start: token.span.start, end: operand.span.end };
  if (operand.kind === 'number')
    return { ...operand, value: token.text === '-' ? -operand.value : operand.value, span };
  return { kind: 'unary', op: token.text, expr: operand, span };
}

function parseMatching(cursor: Cursor, op: BinaryOperator): VectorMatching {
  const matching: VectorMatching = {
    cardinality: 'one-to-one',
    kind: 'ignoring',
    labels: [],
    include: [],
    explicit: false,
  };
  const kind = cursor.takeWord('on') ? 'on' : cursor.takeWord('ignoring') ? 'ignoring' : undefined;
  if (kind) {
    Object.assign(matching, { kind, explicit: true, labels: parseGroupingLabels(cursor) });
    const side = cursor.peek();
    if (cursor.takeWord('group_left')) matching.cardinality = 'group-left';
    else if (cursor.takeWord('group_right')) matching.cardinality = 'group-right';
    if (matching.cardinality !== 'one-to-one') {
      if (isSetOperator(op)) throw cursor.error(`no grouping allowed for "${op}" operation`, side);
      if (cursor.isPunctuation('(')) matching.include = parseGroupingLabels(cursor);
    }
  }
  parseFill(cursor, op, matching);
  return matching;
}

function parseFill(cursor: Cursor, op: BinaryOperator, matching: VectorMatching): void {
  for (;;) {
    const token = cursor.peek();
    const word = token.kind === 'word' ? token.text.toLowerCase() : '';
    if (!word.startsWith('fill') || !cursor.isPunctuation('(', 1)) return;
    cursor.next();
    cursor.take('(', 'fill modifier');
    const value = parseNumber(cursor);
    cursor.take(')', 'fill modifier');
    if (isSetOperator(op)) throw cursor.error('fill modifiers are not allowed for set operators', token);
    if (word !== 'fill_right') matching.fillLeft = value;
    if (word !== 'fill_left') matching.fillRight = value;
    matching.explicit = true;
  }
}

/** A primary with whatever follows it: ranges, subqueries, `offset`, `@`. */
function parsePostfix(cursor: Cursor): Expr {
  let expr = parsePrimary(cursor);
  for (;;) {
    const token = cursor.peek();
    if (cursor.isPunctuation('[')) expr = parseBrackets(cursor, expr);
    else if (cursor.takeWord('offset')) {
      const time = shiftable(
        cursor,
        expr,
        'offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
      );
      if (time.offset) throw cursor.error('offset may not be set multiple times', expr);
      time.offset = parseOffset(cursor);
      expr.span.end = cursor.lastEnd();
    } else if (token.kind === 'operator' && token.text === '@') {
      cursor.next();
      const time = shiftable(
        cursor,
        expr,
        '@ modifier must be preceded by an instant vector selector or range vector selector or a subquery',
      );
      if (time.at) throw cursor.error('@ <timestamp> may not be set multiple times', expr);
      time.at = parseAt(cursor);
      expr.span.end = cursor.lastEnd();
    } else if (token.kind === 'word' && /^(smoothed|anchored)$/i.test(token.text)) {
      throw cursor.error(`the ${token.text.toLowerCase()} modifier is experimental and not supported`, token);
    } else return expr;
  }
}

function shiftable(cursor: Cursor, expr: Expr, complaint: string): TimeShift {
  if (expr.kind === 'selector' || expr.kind === 'subquery') return expr.time;
  if (expr.kind === 'range') return expr.selector.time;
  throw cursor.error(complaint, expr);
}

function parseAt(cursor: Cursor): NonNullable<TimeShift['at']> {
  for (const kind of ['start', 'end'] as const) {
    if (!cursor.takeWord(kind)) continue;
    cursor.take('(', '@ modifier');
    cursor.take(')', '@ modifier');
    return { kind };
  }
  const at = cursor.peek();
  const sign = cursor.takeSign();
  const seconds = sign * parseNumber(cursor);
  if (!Number.isFinite(seconds) || Math.abs(seconds) > 9.2e15) {
    throw cursor.error(`timestamp out of bounds for @ modifier: ${seconds}`, at);
  }
  return { kind: 'time', ms: Math.round(seconds * 1000) };
}

function parseBrackets(cursor: Cursor, expr: Expr): Expr {
  const open = cursor.take('[', 'range');
  const range = parseDurationExpr(cursor, 'subquery or range selector');
  if (cursor.isPunctuation(':')) {
    cursor.next();
    const step = cursor.isPunctuation(']') ? undefined : parseDurationExpr(cursor, 'subquery selector');
    cursor.take(']', 'subquery selector');
    const span = { start: expr.span.start, end: cursor.lastEnd() };
    return { kind: 'subquery', expr, range, ...(step && { step }), time: {}, span };
  }
  cursor.take(']', 'subquery or range selector');
  if (expr.kind !== 'selector')
    throw cursor.error('ranges only allowed for vector selectors', { start: expr.span.start, end: open.span.end });
  if (expr.time.offset) throw cursor.error('no offset modifiers allowed before range', expr);
  if (expr.time.at) throw cursor.error('no @ modifiers allowed before range', expr);
  return { kind: 'range', selector: expr, range, span: { start: expr.span.start, end: cursor.lastEnd() } };
}

function parsePrimary(cursor: Cursor): Expr {
  const token = cursor.peek();
  if (token.kind === 'string') {
    cursor.next();
    return { kind: 'string', value: token.value ?? '', span: { ...token.span } };
  }
  if (token.kind === 'number' || token.kind === 'duration' || cursor.isWord('inf') || cursor.isWord('nan')) {
    return { kind: 'number', value: parseNumber(cursor), span: { ...token.span } };
  }
  if (cursor.isPunctuation('(')) {
    cursor.next();
    const expr = parseBinary(cursor, 0);
    cursor.take(')', '');
    return { kind: 'paren', expr, span: { start: token.span.start, end: cursor.lastEnd() } };
  }
  const aggregation = aggregationAt(cursor);
  if (aggregation) return parseAggregation(cursor, aggregation);
  if ((token.kind === 'identifier' || cursor.isWord('start') || cursor.isWord('end')) && cursor.isPunctuation('(', 1)) {
    cursor.next();
    return {
      kind: 'call',
      name: functionName(token.text),
      args: parseArguments(cursor),
      span: { start: token.span.start, end: cursor.lastEnd() },
    };
  }
  if (selectorStarts(cursor)) return parseSelector(cursor);
  throw cursor.unexpected('');
}

/** These are keywords to Prometheus, in any case; other functions are known as they are spelled. */
function functionName(text: string): string {
  return /^(start|end|step|range|min_of|max_of)$/i.test(text) ? text.toLowerCase() : text;
}

function parseArguments(cursor: Cursor): Expr[] {
  cursor.take('(', 'function call');
  const args: Expr[] = [];
  while (!cursor.isPunctuation(')')) {
    args.push(parseBinary(cursor, 0));
    if (!cursor.isPunctuation(',')) break;
    const comma = cursor.next();
    if (cursor.isPunctuation(')')) throw cursor.error('trailing commas not allowed in function call args', comma);
  }
  cursor.take(')', 'function call');
  return args;
}

/** An operator's name is a metric's name unless arguments or a grouping follow. */
function aggregationAt(cursor: Cursor): AggregationOperator | undefined {
  const op = AGGREGATION_OPERATORS.find((name) => cursor.isWord(name));
  if (!op) return undefined;
  return cursor.isPunctuation('(', 1) || cursor.isWord('by', 1) || cursor.isWord('without', 1) ? op : undefined;
}

function parseAggregation(cursor: Cursor, op: AggregationOperator): Expr {
  const start = cursor.next();
  const before = parseGrouping(cursor);
  const args = parseArguments(cursor);
  const after = before ?? parseGrouping(cursor);
  const span = { start: start.span.start, end: cursor.lastEnd() };
  if (args.length === 0) throw cursor.error('no arguments for aggregate expression provided', span);
  const wanted = takesParameter(op) ? 2 : 1;
  if (args.length !== wanted) {
    throw cursor.error(
      `wrong number of arguments for aggregate expression provided, expected ${wanted}, got ${args.length}`,
      span,
    );
  }
  const [first, second] = args;
  const expr = second ?? first;
  if (!expr) throw cursor.unexpected('aggregation');
  return {
    kind: 'aggregation',
    op,
    expr,
    ...(second && first && { parameter: first }),
    grouping: after ?? { kind: 'by', labels: [] },
    span,
  };
}

function takesParameter(op: AggregationOperator): boolean {
  return /^(topk|bottomk|quantile|count_values|limitk|limit_ratio)$/.test(op);
}

function parseGrouping(cursor: Cursor): { kind: 'by' | 'without'; labels: string[] } | undefined {
  if (cursor.takeWord('by')) return { kind: 'by', labels: parseGroupingLabels(cursor) };
  if (cursor.takeWord('without')) return { kind: 'without', labels: parseGroupingLabels(cursor) };
  return undefined;
}
