import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock, systemClock } from '../../base/index.ts';
import { everything, labelSetFrom, type SampleBatch, type Scope } from '../../model/index.ts';
import { createMemorySource, type MemorySource } from '../sources/index.ts';
import { createPromqlEngine, PromqlError } from './index.ts';

const MINUTE = 60_000;

/** Series with one value each, every minute for an hour. */
function steady(
  series: { labels: Record<string, string>; cluster?: string; value: number }[],
  minutes = 60,
): SampleBatch {
  const total = series.length * minutes;
  return {
    series: series.map(({ labels, cluster }) => ({ labels: labelSetFrom(labels), cluster: cluster ?? 'unknown' })),
    seriesOf: Uint32Array.from({ length: total }, (_, i) => Math.floor(i / minutes)),
    timesMs: Float64Array.from({ length: total }, (_, i) => (i % minutes) * MINUTE),
    values: Float64Array.from({ length: total }, (_, i) => series[Math.floor(i / minutes)]?.value ?? 0),
  };
}

describe('scope', () => {
  const SECRET = 666;
  const scope: Scope = { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['web'] }] };
  let source: MemorySource;
  beforeEach(() => {
    source = createMemorySource();
    source.add(
      steady([
        { labels: { __name__: 'load', namespace: 'web', instance: 'i', job: 'j' }, cluster: 'eu', value: 1 },
        { labels: { __name__: 'load', namespace: 'data', instance: 'i', job: 'j' }, cluster: 'eu', value: SECRET },
        { labels: { __name__: 'load', namespace: 'web', cluster: 'us' }, cluster: 'us', value: SECRET },
        { labels: { __name__: 'load', node: 'n' }, cluster: 'eu', value: SECRET },
        {
          labels: { __name__: 'target_info', instance: 'i', job: 'j', secret: 'yes', namespace: 'data' },
          cluster: 'eu',
          value: SECRET,
        },
      ]),
    );
  });

  test.each([
    'load',
    '{__name__=~".+"}',
    'load{namespace="data"} or load',
    'load{namespace=~"web|data", cluster=~"eu|us"}',
    'load{cluster="us"} or load',
    'load{namespace=""} or load',
    'load unless load{namespace="web"} or load',
    'max_over_time(load{namespace!="web"}[5m:1m]) or load',
    'load{namespace="data"} @ 0 or load offset -1m',
    'label_replace(load, "namespace", "data", "", "")',
    'sum(load)',
    'count by (namespace) (load) * on (namespace) load',
    'avg_over_time(load[10m])',
    'info(load)',
    'topk(10, load)',
  ])('%s sees nothing beyond it', async (query) => {
    const engine = createPromqlEngine({ source, clock: systemClock });
    const instant = await engine.instant({ query, timeMs: 5 * MINUTE, scope });
    const range = await engine.range({ query, startMs: 0, endMs: 10 * MINUTE, stepMs: MINUTE, scope });
    const text = JSON.stringify([instant.value, range.value], (_, value) =>
      value instanceof Float64Array ? [...value] : value,
    );
    expect(text).not.toContain(String(SECRET));
    expect(text).not.toContain('secret');
    expect(instant.value).toMatchObject({ kind: 'vector', samples: [{ value: 1 }] });
  });

  test('what is out of scope is absent', async () => {
    const engine = createPromqlEngine({ source, clock: systemClock });
    const { value } = await engine.instant({ query: 'absent(load{namespace="data"})', timeMs: 0, scope });
    expect(value).toMatchObject({ kind: 'vector', samples: [{ value: 1 }] });
  });
});

describe('limits', () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ labels: { __name__: 'm', i: String(i) }, value: i }));
  const source = createMemorySource();
  source.add(steady(many));
  const hour = { startMs: 0, endMs: 60 * MINUTE, stepMs: MINUTE, scope: everything };

  test('too many series', async () => {
    const engine = createPromqlEngine({ source, clock: systemClock, limits: { series: 100 } });
    await expect(engine.instant({ query: 'm', timeMs: 0, scope: everything })).rejects.toMatchObject({
      kind: 'execution',
      message: expect.stringContaining('limit 100'),
    });
  });

  test.each(['m', 'm + m', 'sum(m) by (i)', 'sum_over_time(m[1h:1s])', 'vector(1)[1h:1ms]'])(
    'too many samples: %s',
    async (query) => {
      const engine = createPromqlEngine({ source, clock: systemClock, limits: { samples: 20_000 } });
      const answer = query.endsWith(']')
        ? engine.instant({ query, timeMs: 60 * MINUTE, scope: everything })
        : engine.range({ query, ...hour });
      await expect(answer).rejects.toMatchObject({
        kind: 'execution',
        message: expect.stringContaining('too many samples'),
      });
    },
  );

  test.each([
    [{ startMs: 10, endMs: 0, stepMs: 1 }, 'end timestamp must not be before start time'],
    [
      { startMs: 0, endMs: 10, stepMs: 0 },
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    ],
    [
      { startMs: 0, endMs: 11_001, stepMs: 1 },
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    ],
  ])('bad bounds %o', async (bounds, message) => {
    const engine = createPromqlEngine({ source, clock: systemClock });
    await expect(engine.range({ query: 'm', scope: everything, ...bounds })).rejects.toEqual(
      new PromqlError('bad_data', message),
    );
  });

  test('time runs out while the source reads', async () => {
    const clock = manualClock(0);
    const slow = {
      ...source,
      samples: (...args: Parameters<typeof source.samples>) =>
        clock.advance(11_000).then(() => source.samples(...args)),
    };
    const engine = createPromqlEngine({ source: slow, clock, limits: { seconds: 10 } });
    await expect(
      engine
        .instant({ query: 'm + 1', timeMs: 0, scope: everything })
        .then(() => engine.instant({ query: 'm + (m offset 1m)', timeMs: 0, scope: everything })),
    ).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('a canceled query stops in mid-evaluation, and other work gets its turns', async () => {
    const engine = createPromqlEngine({ source, clock: systemClock, limits: { samples: 1e9 } });
    const controller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      if (turns === 3) controller.abort();
    }, 1);
    // Ten million windows of an hour each: minutes of work, if nobody stopped it.
    const answer = engine.range({
      query: 'quantile_over_time(0.5, m[1h:1s])',
      startMs: 0,
      endMs: 3_600_000,
      stepMs: 1000,
      scope: everything,
      signal: controller.signal,
    });
    await expect(answer).rejects.toMatchObject({ kind: 'canceled' });
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

test('names that become equal are an error at once, unless names are dropped at the end', async () => {
  const source = createMemorySource();
  source.add(
    steady([
      { labels: { __name__: 'a' }, value: 1 },
      { labels: { __name__: 'b' }, value: 2 },
    ]),
  );
  const query = { query: 'sum(abs({__name__=~"a|b"}))', timeMs: 0, scope: everything };
  const atOnce = createPromqlEngine({ source, clock: systemClock });
  await expect(atOnce.instant(query)).rejects.toMatchObject({
    message: 'vector cannot contain metrics with the same labelset',
  });
  const atTheEnd = createPromqlEngine({ source, clock: systemClock, delayNames: true });
  expect((await atTheEnd.instant(query)).value).toMatchObject({ samples: [{ value: 3 }] });
});

test('an equal selector is read once', async () => {
  const source = createMemorySource();
  source.add(steady([{ labels: { __name__: 'a' }, value: 2 }]));
  const { stats, value } = await createPromqlEngine({ source, clock: systemClock }).instant({
    query: 'a / (a + a)',
    timeMs: 0,
    scope: everything,
  });
  expect(value).toMatchObject({ samples: [{ value: 0.5 }] });
  expect(stats).toEqual({ samples: 1, series: 1, queries: 1 });
});
