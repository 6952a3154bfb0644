import { expect, it } from 'vitest';
import { sortRows } from './sort.ts';

const rows = [
  { n: 2, s: 'pod-10' },
  { n: null, s: 'pod-9' },
  { n: 7, s: 'pod-1' },
];

it('sorts by number or natural text, with nothing last either way', () => {
  expect(sortRows(rows, (r) => r.n, false).map((r) => r.n)).toEqual([2, 7, null]);
  expect(sortRows(rows, (r) => r.n, true).map((r) => r.n)).toEqual([7, 2, null]);
  expect(sortRows(rows, (r) => r.s, false).map((r) => r.s)).toEqual(['pod-1', 'pod-9', 'pod-10']);
  expect(sortRows(rows, undefined, true)).toEqual(rows);
});
