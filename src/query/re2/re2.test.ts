import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern, expandTemplate, literalsOf, PatternError } from './index.ts';

test.each([
  ['a', 'a', true],
  ['a', 'ab', false],
  ['a|b', 'b', true],
  ['(a|b)', 'b', true],
  ['|a', 'a', true],
  ['a\\\\|b', 'b', true],
  ['a\\.b', 'a.b', true],
  ['a\\.b', 'axb', false],
  ['.*', 'a\nb', true],
  ['.+', '', false],
  ['a.*', 'a\nb', true],
  ['.*b', 'a\nb', true],
  ['.*-.*', 'a-b', true],
  ['a.b', 'a\nb', true],
  ['(?i)AB', 'ab', true],
  ['a|', '', true],
  ['[a-c]{2}', 'ac', true],
  ['\\d+', '42', true],
])('%s on %o', (pattern, text, wanted) => {
  expect(compilePattern(pattern).matches(text)).toBe(wanted);
});

test('what is no RE2 is refused, look-ahead too', () => {
  expect(() => compilePattern('(')).toThrow(PatternError);
  expect(() => compilePattern('a(?=b)')).toThrow(PatternError);
});

test('a pattern that makes backtracking explode is answered at once', () => {
  expect(compilePattern('(a+)+b').matches('a'.repeat(5_000))).toBe(false);
});

test('short cuts match what the automaton matches', () => {
  const pieces = fc.constantFrom('a', 'b', '-', '|', '\\.', '.*', '(a|b)', '');
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 4 }),
      fc.array(fc.constantFrom('a', 'b', '-', '.', '\n'), { maxLength: 4 }),
      (parts, letters) => {
        const [pattern, text] = [parts.join(''), letters.join('')];
        const viaAutomaton = compilePattern(pattern).groups(text) !== undefined;
        expect(compilePattern(pattern).matches(text)).toBe(viaAutomaton);
      },
    ),
    { numRuns: 1000 },
  );
});

test('lists of plain texts are known as such', () => {
  expect(literalsOf('a|b\\.c|')).toEqual(['a', 'b.c', '']);
  expect(literalsOf('(?:x|y)')).toEqual(['x', 'y']);
  expect(literalsOf('a.c')).toBeUndefined();
  expect(literalsOf('(a)(b)')).toBeUndefined();
});

test.each([
  ['$1-$2', 'x-y'],
  ['$' + '{1}_z', 'x_z'],
  ['$1_z', ''],
  ['$word!', 'y!'],
  ['$$1', '$1'],
  ['$9', ''],
  ['100%$', '100%$'],
])('template %s', (template, wanted) => {
  const groups = compilePattern('(.)(?P<word>.)').groups('xy');
  expect(groups && expandTemplate(template, groups)).toBe(wanted);
});
