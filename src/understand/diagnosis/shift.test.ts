import { describe, expect, test } from 'vitest';
import { findShift, type ShiftQuestion } from './shift.ts';
import { random } from './testdata/random.ts';

const latency: ShiftQuestion = { direction: 'up', scale: 'ratio', least: 1.3, correlated: 4 };

/** A series of log-normal noise around levels, smoothed as a rate over four steps smooths. */
function series(seed: number, levels: readonly [points: number, level: number][], noise = 0.15): Float64Array {
  const next = random(seed);
  const raw = levels.flatMap(([points, level]) =>
    Array.from({ length: points }, () => level * Math.exp(noise * next.normal())),
  );
  return Float64Array.from(raw, (_, i) => {
    const last = raw.slice(Math.max(0, i - 3), i + 1);
    return last.reduce((a, b) => a + b, 0) / last.length;
  });
}

describe('findShift', () => {
  test('finds a lasting step and when it began', () => {
    const found = findShift(
      series(1, [
        [120, 0.024],
        [30, 0.08],
      ]),
      latency,
    );
    expect(found?.end).toBe(150);
    expect(Math.abs((found?.start ?? 0) - 120)).toBeLessThanOrEqual(2);
    expect(found?.low).toBeLessThanOrEqual(found?.start ?? 0);
    expect(found?.high).toBeGreaterThanOrEqual(found?.start ?? 0);
    expect((found?.during ?? 0) / (found?.before ?? 1)).toBeGreaterThan(2.8);
  });

  test('finds an episode that is over', () => {
    const found = findShift(
      series(2, [
        [80, 1],
        [30, 3],
        [40, 1],
      ]),
      latency,
    );
    expect(Math.abs((found?.start ?? 0) - 80)).toBeLessThanOrEqual(2);
    expect(Math.abs((found?.end ?? 0) - 110)).toBeLessThanOrEqual(4);
  });

  test('an improvement is not a shift upwards', () => {
    expect(
      findShift(
        series(3, [
          [75, 3],
          [75, 1],
        ]),
        latency,
      ),
    ).toBeUndefined();
  });

  test('noise alone is silent in a thousand series', () => {
    const alarms = Array.from({ length: 1000 }, (_, seed) =>
      findShift(series(seed + 10, [[150, 1]], 0.3), latency),
    ).filter(Boolean);
    expect(alarms.length).toBeLessThanOrEqual(1);
  });

  test('gaps do not hide a step', () => {
    const values = series(4, [
      [120, 1],
      [30, 3],
    ]);
    for (let i = 0; i < values.length; i += 3) values[i] = Number.NaN;
    expect(Math.abs((findShift(values, latency)?.start ?? 0) - 120)).toBeLessThanOrEqual(3);
  });

  test('a queue that was empty', () => {
    const values = Float64Array.from({ length: 150 }, (_, i) => (i < 110 ? 0 : 12 + (i % 5)));
    const found = findShift(values, { direction: 'up', scale: 'count', least: 3, correlated: 1 });
    expect(found).toMatchObject({ start: 110, before: 0 });
  });

  test.each([[[]], [[1, 2, 3]], [Array(50).fill(Number.NaN)]])('too little data is silent', (values) => {
    expect(findShift(Float64Array.from(values), latency)).toBeUndefined();
  });
});
