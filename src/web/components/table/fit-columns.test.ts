import { expect, it } from 'vitest';
import { fitColumns } from './fit-columns.ts';

const columns = [
  { id: 'name', width: 'minmax(100px, 2fr)' },
  { id: 'a', width: '50px', from: 'medium' as const },
  { id: 'b', width: '50px', from: 'wide' as const },
  { id: 'c', width: '50px', from: 'wide' as const },
  { id: 'd', width: '50px' },
];
const ids = (room: number) =>
  fitColumns(columns, room)
    .map((c) => c.id)
    .join('');

it('lets the least needed columns go, from the right, until the rest fits', () => {
  expect(ids(372)).toBe('nameabcd');
  expect(ids(371)).toBe('nameabd');
  expect(ids(300)).toBe('namead');
  expect(ids(190)).toBe('named');
});

it('never drops what must stay', () => {
  expect(ids(10)).toBe('named');
});
