import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { manualClock } from '../../../base/index.ts';
import { labelSetFrom } from '../../../model/index.ts';
import { createCardinalityLimiter } from '../limit-cardinality.ts';
import { type CardinalityLimits, defaultCardinalityLimits } from '../limits.ts';
import { createActiveSeries } from './active-series.ts';
import { createRefusalLog } from './refusal-log.ts';
import { hashText, ValueSketch } from './value-sketch.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test.each([0, 1, 8, 64, 65, 500, 5_000, 200_000])('a sketch of %d values tells their number', (values) => {
  const sketch = new ValueSketch();
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < values; i++) sketch.add(hashText(`10.0.${i >> 8}.${i & 255}`));
  if (values <= 64) expect(sketch.count()).toBe(values);
  else expect(Math.abs(sketch.count() - values) / values).toBeLessThan(0.1);
});

test('merged sketches count what either has seen, once', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), fc.nat(300), (a, b, overlap) => {
      const [left, right, all] = [new ValueSketch(), new ValueSketch(), new ValueSketch()];
      for (let i = 0; i < a; i++) left.add(hashText(`v${i}`));
      for (let i = a - Math.min(a, overlap); i < a + b; i++) right.add(hashText(`v${i}`));
      for (let i = 0; i < a + b; i++) all.add(hashText(`v${i}`));
      left.merge(right);
      expect(left.count()).toBe(all.count());
    }),
  );
});

test('activity holds for two generations, as a plain map of them would say', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), hash: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ kind: fc.constant('next' as const), hash: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const series = createActiveSeries();
      const model = new Map<number, number>();
      let generation = 0;
      // Hashes of one shard, so that it grows and sweeps.
      const hashOf = (i: number) => i * 0x200000 * 977 + 256 * (i % 7);
      for (const { kind, hash } of steps) {
        if (kind === 'next') {
          generation++;
          series.nextGeneration();
        } else {
          series.add(hashOf(hash));
          model.set(hash, generation);
        }
      }
      for (let i = 0; i <= 400; i++) {
        const age = generation - (model.get(i) ?? Number.NEGATIVE_INFINITY);
        expect(series.seen(hashOf(i))).toBe(age === 0 ? 'now' : age === 1 ? 'before' : 'never');
      }
    }),
  );
});

test('the log of refusals is bounded and keeps the latest', () => {
  const log = createRefusalLog();
  for (let i = 0; i < 2000; i++) {
    log.add({ metric: `m${i}`, cluster: 'c', reason: 'limit_series', label: '' }, 2, () => 'x', i);
  }
  log.add({ metric: 'm1999', cluster: 'c', reason: 'limit_series', label: '' }, 3, () => 'not made', 2001);
  expect(log.list()).toHaveLength(500);
  expect(log.list()[0]).toMatchObject({ metric: 'm1999', count: 5, sinceMs: 1999, example: 'x' });
});

describe('the report', () => {
  function start(limits: Partial<CardinalityLimits> = {}) {
    const clock = manualClock(1_760_000_000_000);
    const limiter = createCardinalityLimiter({ ...defaultCardinalityLimits, ...limits }, clock);
    const admit = (labels: Record<string, string>, cluster = 'eu') => {
      const refusal = limiter.admit({ labels: labelSetFrom(labels), cluster });
      if (refusal !== undefined) limiter.refused(refusal, 1);
      return refusal;
    };
    return { clock, limiter, admit };
  }

  it('names the largest metrics, their labels with the most values, and what was refused with the label that explodes', () => {
    const { limiter, admit } = start({ perMetric: 400 });
    for (let i = 0; i < 500; i++) {
      admit({
        __name__: 'http_requests_total',
        pod: `api-${i % 10}`,
        method: i % 2 ? 'GET' : 'PUT',
        user_id: `user-${i}`,
      });
    }
    for (let i = 0; i < 12; i++) admit({ __name__: 'up', instance: `10.0.0.${i}:80` });
    const report = limiter.report();
    expect(report).toMatchObject({ active: 412, perMetricLimit: 400, clusters: [{ cluster: 'eu', series: 412 }] });
    expect(report.metrics[0]).toMatchObject({
      metric: 'http_requests_total',
      cluster: 'eu',
      series: 400,
      share: 400 / 412,
      refused: 100,
      labels: [
        { name: 'user_id', example: 'user-0' },
        { name: 'pod', values: 10 },
        { name: 'method', values: 2 },
      ],
    });
    expect(Math.abs((report.metrics[0]?.labels[0]?.values ?? 0) - 400)).toBeLessThan(40);
    expect(report.metrics[1]).toMatchObject({ metric: 'up', labels: [{ name: 'instance', values: 12 }] });
    expect(report.labels.map(({ name }) => name)).toEqual(['user_id', 'instance', 'pod', 'method']);
    expect(report.refusals).toMatchObject([
      { metric: 'http_requests_total', label: 'user_id', reason: 'limit_series', count: 100 },
    ]);
    expect(structuredClone(report)).toEqual(report);
  });

  it('is of the clusters asked for', () => {
    const { limiter, admit } = start({ labels: 2 });
    for (const cluster of ['eu', 'us']) {
      admit({ __name__: 'up', a: '1' }, cluster);
      admit({ __name__: 'up', a: '1', b: '2' }, cluster);
    }
    const report = limiter.report(['us']);
    expect(report.clusters.map(({ cluster }) => cluster)).toEqual(['us']);
    expect(report.metrics.map(({ cluster }) => cluster)).toEqual(['us']);
    expect(report.refusals.map(({ cluster }) => cluster)).toEqual(['us']);
  });

  it('tells churn and growth apart: pods that replace each other churn, and do not grow', async () => {
    const { clock, limiter, admit } = start();
    // Ten pods, one of which is replaced every ten minutes; another metric only gains one.
    const pods = Array.from({ length: 10 }, (_, i) => i);
    for (let round = 0; round < 6 * 6; round++) {
      for (const pod of pods) admit({ __name__: 'up', pod: `p-${pod}` });
      for (let i = 0; i <= round; i++) admit({ __name__: 'sessions', id: `${i}` });
      await clock.advance(10 * MINUTE);
      pods.push((pods.at(-1) ?? 0) + 1);
      pods.shift();
    }
    const of = (metric: string) => limiter.report().metrics.find((found) => found.metric === metric);
    expect(of('up')?.churnPerHour).toBeCloseTo(6, 0);
    expect(Math.abs(of('up')?.growthPerHour ?? 99)).toBeLessThan(1.5);
    expect(of('sessions')?.growthPerHour).toBeCloseTo(6, 0);
  });

  it('does not take the first sight of what was there before the start for churn', async () => {
    const { clock, limiter, admit } = start();
    for (let i = 0; i < 100; i++) admit({ __name__: 'up', pod: `p-${i}` });
    await clock.advance(30 * MINUTE);
    expect(limiter.report().metrics[0]).toMatchObject({ churnPerHour: 0, growthPerHour: 0 });
    for (let i = 100; i < 150; i++) admit({ __name__: 'up', pod: `p-${i}` });
    expect(limiter.report().metrics[0]?.churnPerHour).toBeGreaterThan(50);
  });

  it('forgets metrics, labels and clusters that are gone for two hours', async () => {
    const { clock, limiter, admit } = start();
    admit({ __name__: 'old', a: '1' }, 'gone');
    for (let hour = 0; hour < 3; hour++) {
      for (let i = 0; i < 20; i++) admit({ __name__: 'stays', [hour === 0 ? 'was' : 'is']: `${i}` });
      await clock.advance(HOUR);
      limiter.generation();
    }
    const report = limiter.report();
    expect(report.clusters).toHaveLength(1);
    expect(report.metrics).toMatchObject([{ metric: 'stays', labels: [{ name: 'is', values: 20 }] }]);
  });

  it('keeps metric names within their bound: those beyond share one count', () => {
    const { limiter, admit } = start({ perMetric: 5 });
    for (let i = 0; i < 100_050; i++) admit({ __name__: `m${i}` });
    const report = limiter.report();
    expect(report.active).toBe(100_050);
    expect(report.metrics[0]).toMatchObject({ metric: '(other metrics)', series: 50 });
  });

  it('does not give a name a count for series that were refused', () => {
    const { limiter, admit } = start({ perCluster: 10 });
    for (let i = 0; i < 100_050; i++) admit({ __name__: `refused${i}` });
    admit({ __name__: 'up' }, 'us');
    expect(limiter.report(['us']).metrics).toMatchObject([{ metric: 'up', series: 1 }]);
    expect(limiter.report()).toMatchObject({ active: 11, clusters: [{ series: 10 }, { series: 1 }] });
  });

  it('keeps names of clusters within their bound: those beyond, and very long ones, share one count', () => {
    const { limiter, admit } = start({ perCluster: 2, perMetric: 2 });
    admit({ __name__: 'up' }, 'x'.repeat(254));
    for (let i = 0; i < 1_050; i++) admit({ __name__: 'up' }, `c${i}`);
    const { active, clusters } = limiter.report();
    expect(active).toBe(1_051);
    expect(clusters).toHaveLength(1_000);
    expect(clusters[0]).toMatchObject({ cluster: '(other clusters)', series: 52 });
    // Limits of one cluster are none of these; that over all is.
    expect(admit({ __name__: 'up' }, 'another')).toBeUndefined();
    expect(limiter.report(['c0', 'c1049']).clusters).toMatchObject([{ cluster: 'c0', series: 1 }]);
  });
});
