import { expect, test } from 'vitest';
import { minutePoints, withoutPeaks } from './source-table.tsx';

const NOW = Date.UTC(2026, 11, 1, 12, 0, 30);
const at = (minute: number) => Date.UTC(2026, 11, 1, 11, minute) / 1000;

test.each([
  ['nothing came', [0, 0, 0, 0], []],
  ['all minutes but the running one', [4, 5, 6, 1], [[at(57), 4], [at(58), 5], [at(59), 6]]],
  ['from the first signal on, pauses included', [0, 5, 0, 7], [[at(58), 5], [at(59), 0]]],
  ['first heard in the running minute', [0, 0, 0, 7], []],
])('%s', (_, perMinute, expected) => {
  expect(minutePoints(perMinute, NOW)).toEqual(expected);
}); // biome-ignore format: a table to read

test('a minute of catching up does not hide the usual ones', () => {
  const usual = [90_000, 10, 0, 12, 8].map((count, i): [number, number] => [i, count]);
  expect(withoutPeaks(usual).map(([, value]) => value)).toEqual([40, 10, 0, 12, 8]);
  expect(withoutPeaks([])).toEqual([]);
});
