import { METRIC_NAME } from '../../../model/index.ts';
import type { Matcher } from '../../sources/index.ts';
import type { VectorSelector } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { isValidName } from './unquote.ts';

/** Keywords that can't be a metric's name when they stand bare. */
const RESERVED = /^(on|ignoring|group_left|group_right|bool|inf|nan)$/i;

export function selectorStarts(cursor: Cursor): boolean {
  const token = cursor.peek();
  if (token.kind === 'identifier' || cursor.isPunctuation('{')) return true;
  return token.kind === 'word' && !RESERVED.test(token.text);
}

/** `name`, `name{…}` or `{…}`; the last may hold a quoted name. */
export function parseSelector(cursor: Cursor): VectorSelector {
  const start = cursor.peek();
  const selector: VectorSelector = { kind: 'selector', matchers: [], time: {}, span: { ...start.span } };
  if (start.kind !== 'punctuation') selector.name = cursor.next().text;
  if (cursor.isPunctuation('{')) parseMatchers(cursor, selector);
  selector.span.end = cursor.lastEnd();
  if (selector.name !== undefined) selector.matchers.push({ name: METRIC_NAME, op: '=', value: selector.name });
  return selector;
}

function parseMatchers(cursor: Cursor, selector: VectorSelector): void {
  cursor.take('{', 'label matching');
  while (!cursor.isPunctuation('}')) {
    parseMatcher(cursor, selector);
    if (cursor.isPunctuation('}')) break;
    if (!cursor.isPunctuation(',')) throw cursor.unexpected('label matching', '"," or "}"');
    cursor.next();
  }
  cursor.take('}', 'label matching');
}

function parseMatcher(cursor: Cursor, selector: VectorSelector): void {
  const token = cursor.peek();
  if (token.kind !== 'identifier' && token.kind !== 'word' && token.kind !== 'string') {
    throw cursor.unexpected('label matching', 'identifier or "}"');
  }
  cursor.next();
  const name = token.kind === 'string' ? (token.value ?? '') : token.text;
  if (!isValidName(name) || (token.kind !== 'string' && name.includes(':'))) {
    throw cursor.error(`unexpected character inside braces: ':'`, token);
  }
  const operator = cursor.peek();
  if (token.kind === 'string' && (cursor.isPunctuation(',') || cursor.isPunctuation('}'))) {
    if (selector.name !== undefined) {
      throw cursor.error(
        `metric name must not be set twice: ${JSON.stringify(selector.name)} or ${JSON.stringify(name)}`,
        token,
      );
    }
    selector.name = name;
    return;
  }
  if (operator.kind !== 'operator') throw cursor.unexpected('label matching', 'label matching operator');
  cursor.next();
  const value = cursor.peek();
  if (value.kind !== 'string') throw cursor.unexpected('label matching', 'string');
  cursor.next();
  selector.matchers.push({ name, op: operator.text as Matcher['op'], value: value.value ?? '' }); // inside braces only these four are tokens
}

/** `(a, "b c", by)`: keywords are names here. */
export function parseGroupingLabels(cursor: Cursor): string[] {
  cursor.take('(', 'grouping opts');
  const labels: string[] = [];
  while (!cursor.isPunctuation(')')) {
    const token = cursor.peek();
    const name = token.kind === 'string' ? (token.value ?? '') : token.text;
    const isName = token.kind === 'identifier' || token.kind === 'word' || token.kind === 'string';
    if (!isName || !isValidName(name) || (token.kind !== 'string' && name.includes(':'))) {
      throw cursor.unexpected('grouping opts', 'label');
    }
    cursor.next();
    labels.push(name);
    if (cursor.isPunctuation(')')) break;
    if (!cursor.isPunctuation(',')) throw cursor.unexpected('grouping opts', '"," or ")"');
    cursor.next();
  }
  cursor.take(')', 'grouping opts');
  return labels;
}
