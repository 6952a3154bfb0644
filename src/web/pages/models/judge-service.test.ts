import { describe, expect, it } from 'vitest';
import { judgeService, outsideSince, shareOver } from './judge-service.ts';

const series = (...values: (number | null)[]) => values.map((v, i): [number, number | null] => [i * 15, v]);
const evidence = {
  health: 'ok' as const,
  reason: undefined,
  ttft: series(0.5, 0.5, 0.6),
  itl: series(0.02, 0.02),
  before: { ttft: [], itl: [] },
  requests: 3,
  waiting: 0,
};
const step = (before: number, after: number, noise = 0) =>
  series(...Array.from({ length: 60 }, (_, i) => (i < 36 ? before : after) * (1 + (i % 2 === 0 ? noise : -noise))));

describe('judgeService', () => {
  it.each([
    ['within the objective', evidence, { state: 'ok', isOutside: false }],
    ['one odd value is no alarm', { ...evidence, ttft: series(0.5, 9, 0.5) }, { state: 'ok' }],
    [
      'slow',
      { ...evidence, ttft: series(0.5, 0.5, 3, 3, 4) },
      { state: 'critical', word: 'slow', isOutside: true, since: 30_000 },
    ],
    [
      'slow, and a GPU warns',
      { ...evidence, health: 'degraded' as const, ttft: series(3, 3) },
      { word: 'slow', isOutside: true },
    ],
    [
      'degraded but fast enough',
      { ...evidence, health: 'degraded' as const, reason: '1 of 3 replicas not ready' },
      { state: 'warning', word: '1 of 3 replicas not ready', isOutside: false },
    ],
    [
      'failing',
      { ...evidence, health: 'failing' as const, reason: 'no replica is ready' },
      { state: 'critical', word: 'no replica is ready', isOutside: true },
    ],
    ['no traffic is no trouble', { ...evidence, ttft: series(null, null), requests: 0 }, { state: 'idle' }],
    [
      'no answers although requests wait',
      { ...evidence, ttft: [], requests: 0, waiting: 7 },
      { state: 'critical', isOutside: true },
    ],
    [
      'nothing collected',
      { ...evidence, ttft: [], requests: undefined, waiting: undefined },
      { state: 'unknown', isOutside: false },
    ],
    [
      'stopped values are not read as current',
      { ...evidence, ttft: series(9, null, null, null, null, null, null), requests: undefined },
      { state: 'unknown' },
    ],
  ])('%s', (_name, given, expected) => {
    expect(judgeService(given)).toMatchObject(expected);
  });
});

const wavy = (level: number, size: number) =>
  series(...Array.from({ length: 60 }, (_, i) => level * (1 + size * Math.sin(i / 4))));

describe('slowerThanUsual', () => {
  it('tells a clear rise within the objective, with its begin', () => {
    expect(judgeService({ ...evidence, itl: step(0.08, 0.17) })).toEqual({
      state: 'warning',
      word: 'slower than usual',
      isOutside: false,
      since: 36 * 15_000,
      detail: 'inter-token latency is 2.13× the usual',
    });
  });
  it('knows the usual from the time before, also when the whole range is slow', () => {
    const slow = { ...evidence, itl: step(0.17, 0.17), before: { ttft: [], itl: step(0.08, 0.08) } };
    expect(judgeService(slow)).toMatchObject({ word: 'slower than usual', since: 0 });
    expect(judgeService({ ...slow, before: { ttft: [], itl: [] } })).toMatchObject({ state: 'ok' });
  });
  it.each([
    ['a small rise', step(0.08, 0.1)],
    ['what is within its own noise', wavy(0.08, 0.4)],
    ['a fall', step(0.17, 0.08)],
    ['a short range', series(0.08, 0.2, 0.2)],
  ])('keeps quiet about %s', (_name, itl) => {
    expect(judgeService({ ...evidence, itl })).toMatchObject({ state: 'ok' });
  });
});

it('since when: the last stretch, over short dips', () => {
  expect(outsideSince(series(3, 0.5, 0.5, 0.5, 3, 3, 1, 3), 2)).toBe(60_000);
  expect(outsideSince(series(0.5, 0.5), 2)).toBeUndefined();
});

it('share over the objective, between quantiles', () => {
  expect(
    shareOver(
      [
        [0.5, 1],
        [0.9, 3],
        [0.95, 4],
      ],
      2,
    ),
  ).toBeCloseTo(Math.sqrt(0.5 * 0.1)); // half way between 50 % and 10 %, by a constant factor
  expect(shareOver([[0.5, 4]], 2)).toBeCloseTo(Math.sqrt(0.5));
  expect(
    shareOver(
      [
        [0.5, 1],
        [0.99, 1.5],
      ],
      2,
    ),
  ).toBe(0);
  expect(shareOver([], 2)).toBeUndefined();
});
