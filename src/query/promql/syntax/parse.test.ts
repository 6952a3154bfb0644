import { parser as npmParser } from '@prometheus-io/lezer-promql';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTypes } from '../check.ts';
import { PromqlError } from '../error.ts';
import type { Expr } from './ast.ts';
import { parseExpr } from './parse.ts';

/** The tree in brackets, so that what binds what can be read. */
function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return String(expr.value);
    case 'string':
      return JSON.stringify(expr.value);
    case 'selector':
      return (expr.name ?? '{}') + (expr.time.offset ? '↩' : '') + (expr.time.at ? '@' : '');
    case 'range':
      return `${shape(expr.selector)}[]`;
    case 'subquery':
      return `${shape(expr.expr)}[:]${expr.time.offset ? '↩' : ''}${expr.time.at ? '@' : ''}`;
    case 'call':
      return `${expr.name}(${expr.args.map(shape).join(' ')})`;
    case 'aggregation':
      return `${expr.op}(${[expr.parameter, expr.expr].flatMap((one) => (one ? [shape(one)] : [])).join(' ')})`;
    case 'binary':
      return `(${shape(expr.left)} ${expr.op} ${shape(expr.right)})`;
    case 'unary':
      return `(${expr.op}${shape(expr.expr)})`;
    case 'paren':
      return shape(expr.expr);
  }
}

test.each([
  ['a + b * c', '(a + (b * c))'],
  ['a - b - c', '((a - b) - c)'],
  ['a ^ b ^ c', '(a ^ (b ^ c))'],
  ['-a ^ b', '(-(a ^ b))'],
  ['-a * b', '((-a) * b)'],
  ['-1 ^ 2', '(-(1 ^ 2))'],
  ['2 ^ -1', '(2 ^ -1)'],
  ['a or b and c unless d', '(a or ((b and c) unless d))'],
  ['a == b + c', '(a == (b + c))'],
  ['a * b atan2 c', '((a * b) atan2 c)'],
  ['a + b offset 5m', '(a + b↩)'],
  ['-a @ 5 offset 1m', '(-a↩@)'],
  ['rate(a[5m] offset 1m)[1h:5m] @ end()', 'rate(a↩[])[:]@'],
  ['SUM BY (x) (a) Or cOuNt(b)', '(sum(a) or count(b))'],
  ['topk without (x) (3, a)', 'topk(3 a)'],
  ['a +on(x) group_left(y) b', '(a + b)'],
  ['a > bool b', '(a > b)'],
  ['sum + by', '(sum + by)'],
  ['a # a comment\n+ b', '(a + b)'],
])('%s', (query, wanted) => {
  expect(shape(parseExpr(query))).toBe(wanted);
});

test.each([
  ['', '1:1: parse error: no expression found in input'],
  ['1 +', '1:4: parse error: unexpected end of input'],
  ['*1', '1:1: parse error: unexpected <op:*>'],
  ['(1', '1:3: parse error: unclosed left parenthesis'],
  ['(1))', "1:4: parse error: unexpected right parenthesis ')'"],
  ['a b', '1:3: parse error: unexpected identifier "b"'],
  ['a\n+\n  %', '3:3: parse error: unexpected <op:%>'],
  ['a{b="c"', '1:8: parse error: unexpected end of input inside braces'],
  ['a{b=c}', '1:5: parse error: unexpected identifier "c" in label matching, expected string'],
  ['a{,}', '1:3: parse error: unexpected "," in label matching, expected identifier or "}"'],
  ['a{b>"c"}', "1:4: parse error: unexpected character inside braces: '>'"],
  ['a="b"', "1:2: parse error: unexpected character after '=': '\"'"],
  ['a[5mm]', '1:3: parse error: bad number or duration syntax: "5mm"'],
  [
    'a[]',
    '1:3: parse error: unexpected "]" in subquery or range selector, expected number, duration, step(), or range()',
  ],
  ['(a + b)[5m]', '1:1: parse error: ranges only allowed for vector selectors'],
  ['a offset 1m[5m]', '1:1: parse error: no offset modifiers allowed before range'],
  [
    '1 offset 5m',
    '1:1: parse error: offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
  ],
  ['"\\q"', '1:2: parse error: unknown escape sequence in string: \\q'],
  ['"abc', '1:1: parse error: unterminated quoted string'],
  ['a $ b', "1:3: parse error: unexpected character: '$'"],
  ['sum by (a b) (c)', '1:11: parse error: unexpected identifier "b" in grouping opts, expected "," or ")"'],
  ['rate(a[5m],)', '1:11: parse error: trailing commas not allowed in function call args'],
  ['nosuch(a)', '1:1: parse error: unknown function with name "nosuch"'],
  ['a[5m] + 1', '1:1: parse error: binary expression must contain only scalar and instant vector types'],
  [
    '-a[5m]',
    '1:1: parse error: unary expression only allowed on expressions of type scalar or instant vector, got "range vector"',
  ],
  ['rate(a[5m])[5m:1m] + 1', '1:1: parse error: binary expression must contain only scalar and instant vector types'],
  ['a[5m][5m:1m]', '1:1: parse error: subquery is only allowed on instant vector, got range vector instead'],
])('%s is refused', (query, message) => {
  expect(() => checkTypes(query, parseExpr(query))).toThrow(expect.objectContaining({ kind: 'bad_data', message }));
});

const TOKENS = [
  'a', 'sum', 'by', 'rate', '(', ')', '[', ']', '{', '}', '5m', '1.', '0x', '"s"', "'", '`', '\\', ',', ':', '=', '=~', '!=', '-', '^',
  'offset', '@', 'start', 'on', 'group_left', 'bool', 'fill', 'and', '#', '\n', 'é', '\u0000', 'Inf', '1e', 'step()',
]; // biome-ignore format: a list to read

test('whatever the text, it parses or is refused with a position', () => {
  const pieces = fc.array(fc.oneof(fc.constantFrom(...TOKENS), fc.string()), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.constantFrom('', ' '), (parts, separator) => {
      const query = parts.join(separator);
      try {
        checkTypes(query, parseExpr(query));
      } catch (error) {
        if (!(error instanceof PromqlError)) throw error;
        expect(error.position?.line).toBeGreaterThan(0);
        expect(error.message).toMatch(/^\d+:\d+: parse error: /);
      }
    }),
    { numRuns: 2000 },
  );
});

/** Queries that are valid by construction. */
const { query: validQuery } = fc.letrec<{ query: string; leaf: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc
      .tuple(fc.constantFrom('sum', 'max', 'count'), fc.constantFrom('', ' by (x, y)', ' without ()'), tie('query'))
      .map(([op, grouping, inner]) => `${op}${grouping} (${inner})`),
    fc
      .tuple(
        tie('query'),
        fc.constantFrom('+', '*', 'and', 'or', '> bool', '== ignoring(x) group_left(z)', '^'),
        tie('query'),
      )
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('query').map((inner) => `max_over_time((${inner})[1h:5m])`),
    tie('query').map((inner) => `label_replace(${inner}, "a", "$1", "b", "(.*)")`),
    tie('query').map((inner) => `(-${inner})`),
  ),
  leaf: fc
    .tuple(fc.constantFrom('a', 'b{x="1"}', '{y=~"2|3", z!=""}', 'rate(c[5m])'), fc.constantFrom('', ' '))
    .map(([text, space]) => text + space),
}));

test('what is valid by construction is accepted, here and by the grammar on npm', () => {
  fc.assert(
    fc.property(validQuery, (query) => {
      parseExpr(query);
      expect(npmParser.parse(query).toString()).not.toContain('⚠');
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['parentheses', `${'('.repeat(5000)}1${')'.repeat(5000)}`, /nested more than 200 levels deep/],
  ['calls', `${'abs('.repeat(2000)}up${')'.repeat(2000)}`, /nested more than 200 levels deep/],
  ['sums', '1+'.repeat(5000).concat('1'), /more than 1000 operators/],
  ['signs', `${'-'.repeat(5000)}1`, /more than 1000 operators/],
  ['length', `x{a="${'y'.repeat(300_000)}"}`, /longer than 200000 characters/],
])('a query of too many %s is refused in words, whatever it means', (_, query, message) => {
  expect(() => parseExpr(query)).toThrow(message);
});

test('what is just within the limits is parsed without deep recursion', () => {
  parseExpr(`${'('.repeat(199)}1${')'.repeat(199)}`);
  parseExpr('1+'.repeat(999).concat('1'));
});
