import { describe, expect, it } from 'vitest';
import { alignSeries, emptySpans, lastValue, medianOf, type Points, stackRows } from './align.ts';
import { createSlots } from './slots.ts';
import { niceTicks } from './ticks.ts';

describe('alignSeries', () => {
  it('brings series onto one axis and bridges holes that are no gaps', () => {
    const a: Points = [
      [0, 1],
      [20, 2],
      [40, 3],
    ];
    const b: Points = [
      [10, 5],
      [30, 6],
    ];
    expect(alignSeries([a, b], 45)).toEqual({
      times: [0, 10, 20, 30, 40],
      rows: [
        [1, undefined, 2, undefined, 3],
        [null, 5, undefined, 6, null],
      ],
    });
  });
  it('breaks a line where nothing came for longer than the gap', () => {
    const { times, rows } = alignSeries(
      [
        [
          [0, 1],
          [15, 1],
          [90, 2],
          [105, 2],
        ],
      ],
      45,
    );
    expect(times).toEqual([0, 15, 52.5, 90, 105]);
    expect(rows).toEqual([[1, 1, null, 2, 2]]);
  });
  it('breaks it also where another series has points in between', () => {
    const { times, rows } = alignSeries(
      [
        [
          [0, 1],
          [90, 2],
        ],
        [
          [0, 7],
          [30, 7],
          [60, 7],
          [90, 7],
        ],
      ],
      45,
    );
    expect(times).toEqual([0, 30, 45, 60, 90]);
    expect(rows[0]).toEqual([1, null, null, null, 2]);
    expect(rows[1]).toEqual([7, 7, undefined, 7, 7]);
  });
});

it('stacks rows, a missing part as nothing and a missing whole as missing', () => {
  expect(
    stackRows([
      [1, null, null],
      [2, 3, null],
    ]),
  ).toEqual([
    [1, 0, null],
    [3, 3, null],
  ]);
});

it('finds where nothing at all was collected', () => {
  const aligned = alignSeries(
    [
      [
        [0, 1],
        [15, 1],
        [200, 1],
      ],
    ],
    45,
  );
  expect(emptySpans(aligned, { from: -100, to: 230 }, 45)).toEqual([
    { from: -100, to: 0 },
    { from: 15, to: 200 },
  ]);
});

it('reads the newest and the middle value', () => {
  const points: Points = [
    [0, 4],
    [1, 1],
    [2, 9],
    [3, null],
  ];
  expect(lastValue(points)).toEqual({ at: 2, value: 9 });
  expect(medianOf(points)).toBe(4);
  expect(medianOf([])).toBeUndefined();
});

describe('slots', () => {
  it('keep a key’s colour whatever the order and whoever leaves', () => {
    const keys = ['pod-a', 'pod-b', 'pod-c', 'pod-d'];
    const first = createSlots();
    const before = first(keys);
    expect(first([...keys].reverse())).toEqual(new Map([...before].reverse()));
    expect(first(['pod-c'])).toEqual(new Map([['pod-c', before.get('pod-c')]]));
    expect(createSlots()([...keys].reverse()).get('pod-c')).toBe(before.get('pod-c'));
  });
  it('are all different up to twelve, the first six among the first six', () => {
    const keys = Array.from({ length: 12 }, (_, i) => `series-${i}`);
    expect(new Set(createSlots()(keys).values()).size).toBe(12);
    expect(Math.max(...createSlots()(keys.slice(0, 6)).values())).toBeLessThan(6);
  });
});

it('ticks are round and at most five', () => {
  expect(niceTicks(0, 4.3)).toEqual([0, 2, 4]);
  expect(niceTicks(0, 1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(niceTicks(0, 80 * 2 ** 30, 2 ** 30).map((t) => t / 2 ** 30)).toEqual([0, 20, 40, 60, 80]);
  expect(niceTicks(0, 0)).toEqual([0]);
  for (const max of [0.0013, 0.9, 7, 13, 99, 4711, 1e6]) expect(niceTicks(0, max).length).toBeLessThanOrEqual(5);
});
