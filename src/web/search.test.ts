import { expect, it } from 'vitest';
import { absolute, comparedRange, resolveRange, shiftRange, widenRange } from './range.ts';
import { parseSearch, readSearch, stringifySearch } from './search.ts';

const NOW = Date.parse('2026-12-01T12:30:07Z');
const iso = (ms: number) => new Date(ms).toISOString();

it('keeps what it knows, drops defaults and what it does not understand', () => {
  expect(
    readSearch({ from: 'now-1h', to: 'now', compare: 'moon', tz: 'CET', cluster: '', q: 'llama', other: 'x' }),
  ).toEqual({ q: 'llama' });
  expect(readSearch({ from: 'now-6h', compare: 'day', tz: 'utc', cluster: 'prod-eu' })).toEqual({
    from: 'now-6h',
    compare: 'day',
    tz: 'utc',
    cluster: 'prod-eu',
  });
});

it('writes an address that reads back the same and stays readable', () => {
  const search = { sel: 'gpu:prod-eu/-/GPU-5f2c', from: '2026-12-01T11:00:00Z', q: 'a&b=c d' };
  const text = stringifySearch(search);
  expect(text).toBe('?sel=gpu:prod-eu/-/GPU-5f2c&from=2026-12-01T11:00:00Z&q=a%26b%3Dc%20d');
  expect(parseSearch(text)).toEqual(search);
  expect(stringifySearch({ a: undefined })).toBe('');
});

it('resolves ranges on the grid of their step', () => {
  const hour = resolveRange({}, NOW);
  expect([iso(hour.from), iso(hour.to), hour.step, hour.isLive]).toEqual([
    '2026-12-01T11:30:00.000Z',
    '2026-12-01T12:30:00.000Z',
    15,
    true,
  ]);
  const fixed = resolveRange({ from: '2026-12-01T06:00:00Z', to: '2026-12-01T12:00:00Z' }, NOW);
  expect([iso(fixed.from), iso(fixed.to), fixed.step, fixed.isLive]).toEqual([
    '2026-12-01T06:00:00.000Z',
    '2026-12-01T12:00:00.000Z',
    120,
    false,
  ]);
});

it.each([{ from: 'soon' }, { from: 'now', to: 'now-1h' }, { to: '12:00' }])(
  'falls back to the last hour for %o',
  (search) => {
    expect(resolveRange(search, NOW)).toMatchObject({
      from: Date.parse('2026-12-01T11:30:00Z'),
      to: Date.parse('2026-12-01T12:30:00Z'),
    });
  },
);

it('moves and widens ranges without reaching into the future', () => {
  const range = { from: NOW - 3_600_000, to: NOW, step: 15, isLive: true, anchor: NOW };
  expect(shiftRange(range, -1, NOW)).toEqual({ from: '2026-12-01T11:00:07Z', to: '2026-12-01T12:00:07Z' });
  expect(shiftRange(range, 1, NOW)).toEqual({ from: '2026-12-01T11:30:07Z', to: '2026-12-01T12:30:07Z' });
  expect(widenRange(range, NOW)).toEqual({ from: '2026-12-01T10:30:07Z', to: '2026-12-01T12:30:07Z' });
  expect(absolute(NOW - 2000, NOW, NOW)).toEqual({ from: '2026-12-01T12:30:05Z', to: '2026-12-01T12:30:07Z' });
});

it('compares with the same length before', () => {
  const range = { from: NOW - 3_600_000, to: NOW, step: 15, isLive: true, anchor: NOW };
  expect(comparedRange(range, undefined)).toBeUndefined();
  expect(comparedRange(range, 'previous')).toMatchObject({ from: NOW - 7_200_000, to: NOW - 3_600_000 });
  expect(comparedRange(range, 'week')).toMatchObject({ to: NOW - 7 * 86_400_000 });
});
