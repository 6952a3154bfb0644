import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import type { SampleBatch, Series } from '../../model/index.ts';
import { type NewestSamples, seriesId } from '../../store/index.ts';
import { createRecentSamples } from './recent-samples.ts';

const seriesNamed = new Map<string, Series>();
function series(name: string): Series {
  const known = seriesNamed.get(name) ?? { cluster: 'prod-eu', labels: ['__name__', name] };
  seriesNamed.set(name, known);
  return known;
}

type Sample = [name: string, timeMs: number, value: number];
function batch(samples: readonly Sample[]): SampleBatch {
  const names = [...new Set(samples.map(([name]) => name))];
  return {
    series: names.map(series),
    seriesOf: Uint32Array.from(samples, ([name]) => names.indexOf(name)),
    timesMs: Float64Array.from(samples, ([, timeMs]) => timeMs),
    values: Float64Array.from(samples, ([, , value]) => value),
  };
}
function listOf(found: SampleBatch | undefined): Sample[] {
  if (found === undefined) return [];
  return Array.from(found.values, (value, i) => {
    const name = found.series[found.seriesOf[i] ?? 0]?.labels[1] ?? '';
    return [name, found.timesMs[i] ?? 0, value];
  });
}

const open = (newestMs = Number.NEGATIVE_INFINITY, clock = manualClock(0), maxSeries = 1_000_000) => {
  const recent = createRecentSamples({ clock, maxSeries });
  recent.learn({ newestMs, ahead: [] });
  return recent;
};

describe('samples that come again', () => {
  /** What becomes of a batch after others were stored. */
  const outcome = (before: Sample[][], now: Sample[], newestStoredMs?: number) => {
    const recent = open(newestStoredMs);
    for (const samples of before) recent.identify(batch(samples)).settle('on disk');
    const { fresh, late, rejected } = recent.identify(batch(now));
    return { fresh: listOf(fresh), late: listOf(late), rejected: rejected?.count ?? 0 };
  };
  const stale = new Float64Array(new BigUint64Array([0x7ff0_0000_0000_0002n]).buffer)[0] ?? 0;

  test.each<[string, Sample[][], Sample[], { fresh: Sample[]; late: Sample[]; rejected: number }]>([
    ['a newer one is new', [[['a', 1, 5]]], [['a', 2, 5]], { fresh: [['a', 2, 5]], late: [], rejected: 0 }],
    ['the same is left out', [[['a', 1, 5]]], [['a', 1, 5]], { fresh: [], late: [], rejected: 0 }],
    ['another value is refused', [[['a', 1, 5]]], [['a', 1, 6]], { fresh: [], late: [], rejected: 1 }],
    ['zero and minus zero differ', [[['a', 1, 0]]], [['a', 1, -0]], { fresh: [], late: [], rejected: 1 }],
    ['a stale marker is no other NaN', [[['a', 1, stale]]], [['a', 1, NaN]], { fresh: [], late: [], rejected: 1 }],
    ['a stale marker is itself', [[['a', 1, stale]]], [['a', 1, stale]], { fresh: [], late: [], rejected: 0 }],
    ['an older one is late', [[['a', 2, 5]]], [['a', 1, 5]], { fresh: [], late: [['a', 1, 5]], rejected: 0 }],
    [
      'within one batch as well, and neighbours go on',
      [],
      [['a', 1, 1], ['a', 1, 1], ['a', 1, 2], ['b', 3, 1], ['b', 2, 1]],
      { fresh: [['a', 1, 1], ['b', 3, 1]], late: [['b', 2, 1]], rejected: 1 },
    ], // biome-ignore format: rows
  ])('%s', (_, before, now, expected) => {
    expect(outcome(before, now)).toEqual(expected);
  });

  test('a series of which nothing is remembered is new only after all that was stored before', () => {
    const expected = { fresh: [['a', 11, 1]], late: [['a', 9, 1], ['b', 10, 1]], rejected: 0 }; // biome-ignore format: rows
    expect(outcome([], [['a', 9, 1], ['a', 11, 1], ['b', 10, 1]], 10)).toEqual(expected); // biome-ignore format: rows
  });

  test('until it is known what is stored all are late; then one clock that runs ahead makes no others late', () => {
    const recent = createRecentSamples({ clock: manualClock(100), maxSeries: 10 });
    expect(listOf(recent.identify(batch([['a', 99, 1], ['fast', 150, 1]])).late)).toHaveLength(2); // biome-ignore format: rows
    recent.learn({ newestMs: 100, ahead: [{ id: seriesId(series('faster')), timeMs: 160 }] });
    const now: Sample[] = [['a', 101, 1], ['b', 101, 1], ['c', 100, 1], ['fast', 150, 1], ['faster', 160, 1]]; // biome-ignore format: rows
    const { fresh, late } = recent.identify(batch(now));
    expect(listOf(fresh).map(([name]) => name)).toEqual(['a', 'b']);
    expect(listOf(late).map(([name]) => name)).toEqual(['c', 'fast', 'faster']);
    expect(recent.identify(batch([['fast', 151, 1], ['faster', 161, 1]])).late).toBeUndefined(); // biome-ignore format: rows
  });

  test('the example names series, time and both values', () => {
    const recent = open();
    recent.identify(batch([['up', 1_767_225_600_000, 1]])).settle('on disk');
    const { rejected } = recent.identify(batch([['up', 1_767_225_600_000, 0]]));
    expect(rejected).toEqual({
      signal: 'samples',
      reason: 'duplicate_value',
      count: 1,
      example: 'sample of up at 2026-01-01T00:00:00.000Z has value 0, but 1 came before and stays',
    });
  });

  test('a batch in order is handed on as it is', () => {
    const recent = open();
    const inOrder = batch([['a', 1, 1], ['b', 1, 1], ['a', 2, 1]]); // biome-ignore format: rows
    expect(recent.identify(inOrder).fresh).toBe(inOrder);
  });

  test('with too many series those that were silent for hours are forgotten, and their samples count as late', async () => {
    const clock = manualClock(0);
    const recent = open(Number.NEGATIVE_INFINITY, clock, 4);
    recent.identify(batch([['a', 1, 1], ['b', 2, 1], ['c', 3, 1]])).settle('on disk'); // biome-ignore format: rows
    await clock.advance(3 * 3_600_000);
    recent.identify(batch([['d', 10, 1]])).settle('on disk');
    expect(recent.size()).toBe(4);
    recent.identify(batch([['e', 11, 1]])).settle('on disk');
    expect(recent.size()).toBe(2);
    expect(listOf(recent.identify(batch([['a', 3, 1]])).late)).toEqual([['a', 3, 1]]);
    expect(recent.identify(batch([['a', 4, 1]])).late).toBeUndefined();
    expect(listOf(recent.identify(batch([['d', 10, 1]])).fresh)).toEqual([]);
  });

  test('very many series are told apart', () => {
    const recent = open();
    const names = Array.from({ length: 5000 }, (_, i) => `m${i}`);
    recent.identify(batch(names.map((name, i): Sample => [name, i, i]))).settle('on disk');
    const again = recent.identify(batch(names.map((name, i): Sample => [name, i + (i % 2), i])));
    expect(listOf(again.fresh)).toHaveLength(2500);
    expect(again.late).toBeUndefined();
    expect(again.rejected).toBeUndefined();
  });
});

test('whatever fails, overlaps or starts anew: each acknowledged sample is stored once, with its first value', () => {
  const sample = fc.tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ max: 2, min: 0 }),
  );
  const step = fc.record({
    samples: fc.array(sample, { minLength: 1, maxLength: 5 }),
    stored: fc.boolean(),
    /** Settled only after so many later ones began. */
    delay: fc.nat(3),
    /** In this many steps the new process knows what is stored, which it asked the store a step before; now, if none. */
    restart: fc.option(fc.nat(3)),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 3 }), (steps, maxSeries) => {
      const clock = manualClock(3);
      let recent = open(Number.NEGATIVE_INFINITY, clock, maxSeries);
      const rows = new Map<string, number>();
      const acknowledged = new Map<string, number>();
      let waiting: { after: number; settle: () => void }[] = [];
      const settleUntil = (count: number) => {
        for (const one of waiting.filter(({ after }) => after <= count)) one.settle();
        waiting = waiting.filter(({ after }) => after > count);
      };
      const newest = (): NewestSamples => {
        const times = [...rows.keys()].map((key) => [key.split(' ')[0] ?? '', Number(key.split(' ')[1])] as const);
        const newestMs = Math.min(clock.now(), Math.max(Number.NEGATIVE_INFINITY, ...times.map(([, time]) => time)));
        const late = times.filter(([, time]) => time > newestMs).sort(([, a], [, b]) => a - b);
        return {
          newestMs,
          ahead: [...new Map(late)].map(([name, timeMs]) => ({ id: seriesId(series(name)), timeMs })),
        };
      };
      let asked: { learnAt: number; answer?: NewestSamples } | undefined;
      steps.forEach(({ samples, stored, delay, restart }, i) => {
        settleUntil(restart === null ? i : Number.POSITIVE_INFINITY);
        if (restart !== null) {
          recent = createRecentSamples({ clock, maxSeries });
          asked = { learnAt: i + restart };
        }
        if (asked !== undefined && i >= asked.learnAt - 1) asked.answer ??= newest();
        if (asked?.answer !== undefined && i >= asked.learnAt) {
          recent.learn(asked.answer);
          asked = undefined;
        }
        const { fresh, late, settle } = recent.identify(batch(samples));
        waiting.push({ after: i + delay + 1, settle: () => settle(stored ? 'on disk' : 'refused') });
        if (!stored) return;
        // What is on disk is loaded in the order in which it was appended.
        for (const [name, time, value] of listOf(fresh)) {
          expect(rows.has(`${name} ${time}`)).toBe(false);
          rows.set(`${name} ${time}`, value);
        }
        for (const [name, time, value] of listOf(late)) {
          if (!rows.has(`${name} ${time}`)) rows.set(`${name} ${time}`, value);
        }
        for (const [name, time, value] of samples) {
          if (!acknowledged.has(`${name} ${time}`)) acknowledged.set(`${name} ${time}`, value);
        }
      });
      expect(rows).toEqual(acknowledged);
    }),
    { numRuns: 500 },
  );
});
