import { expect, it } from 'vitest';
import { distinctParts, listed, splitForMiddleCut } from './names.ts';

it('splits a name before the part that tells siblings apart', () => {
  expect(splitForMiddleCut('llama-0')).toEqual({ head: '', tail: 'llama-0' });
  expect(splitForMiddleCut('llama-3-70b-7c9f6d5b4d-x2x9k')).toEqual({ head: 'llama-3-70b-7c9f6d5b4d', tail: '-x2x9k' });
  expect(splitForMiddleCut('averylongnamewithoutanyseparators')).toEqual({
    head: 'averylongnamewithoutanyse',
    tail: 'parators',
  });
});

it('finds what names share at their ends, at separators only', () => {
  expect(distinctParts(['llama-3-70b-0', 'llama-3-70b-12'])).toEqual([
    { prefix: 'llama-3-70b-', own: '0', suffix: '' },
    { prefix: 'llama-3-70b-', own: '12', suffix: '' },
  ]);
  expect(distinctParts(['a/x-pod', 'a/y-pod']).map((p) => [p.prefix, p.own, p.suffix])).toEqual([
    ['a/', 'x', '-pod'],
    ['a/', 'y', '-pod'],
  ]);
  expect(distinctParts(['one'])).toEqual([{ prefix: '', own: 'one', suffix: '' }]);
});

it('lists in words', () => {
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
});
