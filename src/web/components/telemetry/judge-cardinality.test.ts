import { describe, expect, test } from 'vitest';
import type { CardinalityResponse } from '../../../api/contract/index.ts';
import {
  explodingLabel,
  judgeCardinality,
  type MetricCardinality,
  metricTrouble,
  secondsToLimit,
} from './judge-cardinality.ts';

const NOW = Date.UTC(2026, 11, 1, 12, 0);
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

const metric = (more: Partial<MetricCardinality> = {}): MetricCardinality => ({
  metric: 'http_requests_total',
  cluster: 'eu',
  series: 500,
  share: 0.1,
  churnPerHour: 0,
  growthPerHour: 0,
  refused: 0,
  labels: [
    { name: 'user_id', values: 480, example: 'u-1' },
    { name: 'method', values: 3, example: 'GET' },
  ],
  ...more,
});
const refusal = { metric: 'http_requests_total', cluster: 'eu', reason: 'limit_series', label: 'user_id', count: 9, since: ago(900), last: ago(4), example: '{}' }; // biome-ignore format: one row
const data = (more: Partial<CardinalityResponse> = {}): CardinalityResponse => ({
  active: 5000,
  limit: 1_000_000,
  perMetricLimit: 1000,
  clusters: [],
  metrics: [metric()],
  labels: [],
  refusals: [],
  ...more,
});

describe('the verdict', () => {
  test.each([
    ['well', data(), 'ok', '5000 series are active, 0.5\u2009% of those allowed, and nothing was refused.'],
    ['nothing yet', data({ active: 0, metrics: [] }), 'unknown', 'No series has come in yet.'],
    [
      'refused an hour ago',
      data({ refusals: [{ ...refusal, last: ago(3600) }] }),
      'ok',
      '5000 series are active, 0.5\u2009% of those allowed, and nothing is being refused now.',
    ],
    [
      'refused now',
      data({ refusals: [{ ...refusal, count: 2, label: 'pod' }, refusal] }),
      'warning',
      'The label user_id of http_requests_total explodes: ≈\u2009480 values in eu, and 9 samples were refused.',
    ],
    [
      'refused without one label that stands out',
      data({ refusals: [{ ...refusal, label: '', count: 1 }] }),
      'warning',
      'http_requests_total of eu has too many series: 1 sample was refused.',
    ],
    ['nearly full', data({ active: 900_000 }), 'warning', '90\u2009% of the series allowed are in use.'],
    [
      'a metric near its limit',
      data({ metrics: [metric({ series: 850 })] }),
      'warning',
      'http_requests_total of eu has 85\u2009% of the series allowed per metric.',
    ],
    [
      'a metric that grows fast',
      data({ metrics: [metric({ growthPerHour: 100 })] }),
      'warning',
      'http_requests_total of eu reaches its limit in 5\u2009h if it goes on growing so.',
    ],
  ])('%s', (_, cardinality, state, words) => {
    expect(judgeCardinality(cardinality, NOW)).toEqual({ state, words });
  });
});

test.each([
  ['most of the series', metric(), 'user_id'],
  ['few values', metric({ series: 50, labels: [{ name: 'pod', values: 50, example: 'a' }] }), undefined],
  ['many values, but of many more series', metric({ series: 5000 }), undefined],
  ['no labels', metric({ labels: [] }), undefined],
])('the exploding label: %s', (_, of, name) => {
  expect(explodingLabel(of)?.name).toBe(name);
});

test('a forecast is told only when it is near', () => {
  const growing = (growthPerHour: number) => data({ active: 900_000, metrics: [metric({ growthPerHour })] });
  expect(secondsToLimit(growing(10_000))).toBe(36_000);
  expect(secondsToLimit(growing(1))).toBeUndefined();
  expect(secondsToLimit(growing(-5))).toBeUndefined();
});

test('a metric of which something was refused says so before anything else', () => {
  expect(metricTrouble(metric({ refused: 7, series: 1000 }), 1000)).toBe('had 7 samples refused');
  expect(metricTrouble(metric(), 1000)).toBeUndefined();
});
