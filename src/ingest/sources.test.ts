import { describe, expect, it, test } from 'vitest';
import { type ManualClock, manualClock } from '../base/index.ts';
import { createDropLog } from './drops.ts';
import { RollingCount } from './rolling-count.ts';
import type { BatchOrigin } from './sink.ts';
import { createSourceLog, type SourceLog } from './sources.ts';

const MINUTE = 60_000;

test('a rolling count forgets slot by slot', () => {
  const count = new RollingCount(3, 10);
  count.add(1, 5);
  count.add(2, 15);
  expect(count.list(15)).toEqual([0, 1, 2]);
  expect(count.list(29)).toEqual([1, 2, 0]);
  count.add(4, 12); // the clock was set back
  expect(count.list(29)).toEqual([1, 2, 4]);
  expect(count.sum(39)).toBe(6);
  expect(count.sum(1_000)).toBe(0);
});

describe('sources', () => {
  const otlp = (sender?: string): BatchOrigin => ({ protocol: 'otlp', ...(sender === undefined ? {} : { sender }) });
  const deliver = (log: SourceLog, clock: ManualClock, origin: BatchOrigin, ageMs = 0, cluster = 'eu') =>
    log.delivered(cluster, origin, { items: 10, bytes: 100, newestMs: clock.now() - ageMs });
  function start() {
    const clock = manualClock(1_760_000_000_000);
    return { clock, log: createSourceLog(clock) };
  }

  it('are senders, each with its own totals and its last hour', async () => {
    const { clock, log } = start();
    for (let i = 0; i < 3; i++) {
      deliver(log, clock, otlp('10.0.0.1 otelcol'));
      deliver(log, clock, otlp('10.0.0.2 otelcol'));
      await clock.advance(MINUTE);
    }
    log.dropped(otlp('10.0.0.2 otelcol'), 4);
    log.repeated(otlp('10.0.0.2 otelcol'));
    const [first, second] = log.states();
    expect(first).toMatchObject({
      name: '10.0.0.1 otelcol',
      requests: 3,
      items: 30,
      bytes: 300,
      dropped: 0,
      repeated: 0,
    });
    expect(second).toMatchObject({ name: '10.0.0.2 otelcol', dropped: 4, repeated: 1, usualPauseSeconds: null });
    expect(first?.perMinute).toHaveLength(60);
    expect(first?.perMinute.slice(-4)).toEqual([10, 10, 10, 0]);
  });

  it.each<[string, BatchOrigin]>([
    ['by its own door', { protocol: 'import', sender: '10.0.0.1 trifocal-import/1.0' }],
    ['by another door', otlp('10.0.0.1 trifocal-import/1.0')],
  ])('an import never lags or falls silent, %s', async (_title, origin) => {
    const { clock, log } = start();
    for (let i = 0; i < 10; i++) deliver(log, clock, origin, 60 * MINUTE);
    expect(log.states()[0]).toMatchObject({ state: 'connected' });
    await clock.advance(30 * MINUTE);
    expect(log.states()[0]).toMatchObject({ state: 'connected' });
    log.refused(undefined, origin, 'no');
    expect(log.states()[0]).toMatchObject({ state: 'refused' });
  });

  it('say why they are not connected, what was usual, and since when', async () => {
    const { clock, log } = start();
    for (let i = 0; i < 60; i++) {
      deliver(log, clock, otlp('a'));
      await clock.advance(5_000);
    }
    const last = clock.now() - 5_000;
    await clock.advance(5 * MINUTE);
    expect(log.states()[0]).toMatchObject({
      state: 'silent',
      sinceMs: last,
      message: expect.stringMatching(/^nothing came for 5 min, usually every (?:4\.9|5) s: see whether/),
    });
    deliver(log, clock, otlp('a'), 10 * MINUTE);
    expect(log.states()[0]).toMatchObject({
      state: 'lagging',
      gaps: 1,
      sinceMs: clock.now(),
      message: expect.stringContaining('10 min old'),
    });
    log.refused(undefined, otlp('a'), 'line 1: nonsense');
    await clock.advance(1000);
    log.refused(undefined, otlp('a'), 'line 2: nonsense');
    expect(log.states()[0]).toMatchObject({
      cluster: 'eu',
      state: 'refused',
      sinceMs: clock.now() - 1000,
      message: 'line 2: nonsense',
    });
  });

  it.each([
    [20, 'many times a second'],
    [300, 'every 0.3 s'],
    [15_000, 'every 15 s'],
    [300_000, 'every 5 min'],
  ])('that came every %d ms and are silent say that they came %s', async (pauseMs, words) => {
    const { clock, log } = start();
    for (let i = 0; i < 100; i++) {
      deliver(log, clock, otlp('a'));
      await clock.advance(pauseMs);
    }
    await clock.advance(60 * MINUTE);
    expect(log.states()[0]?.message).toContain(`, usually ${words}: `);
  });

  it('show a sender of which nothing could be taken', () => {
    const { log } = start();
    log.refused(undefined, otlp('a'), 'nonsense');
    expect(log.states()).toMatchObject([
      { cluster: 'unknown', name: 'a', state: 'refused', lastSeenMs: null, requests: 0 },
    ]);
  });

  it('are bounded: those beyond 500 share one', () => {
    const { clock, log } = start();
    for (let i = 0; i < 600; i++) deliver(log, clock, otlp(`10.0.${i >> 8}.${i & 255}`));
    const states = log.states();
    expect(states).toHaveLength(501);
    expect(states.at(-1)).toMatchObject({ name: 'other senders', items: 1000 });
  });

  it('that do not come back are forgotten, visitors sooner', async () => {
    const { clock, log } = start();
    for (let i = 0; i < 10; i++) deliver(log, clock, otlp('stays'));
    deliver(log, clock, otlp('visitor'));
    await clock.advance(2 * 60 * MINUTE);
    expect(log.states().map(({ name }) => name)).toEqual(['stays']);
    await clock.advance(24 * 60 * MINUTE);
    expect(log.states()).toEqual([]);
  });
});

test('what is dropped has its rate, its latest example, its sender and label, and when this spell began', async () => {
  const clock = manualClock(0);
  const log = createDropLog(clock);
  const add = (example: string) =>
    log.add(
      { signal: 'samples', reason: 'limit_series', count: 150, example, label: 'id' },
      { protocol: 'otlp', sender: 's' },
    );
  add('first');
  await clock.advance(MINUTE);
  add('second');
  expect(log.states()).toEqual([
    {
      signal: 'samples', reason: 'limit_series', protocol: 'otlp', count: 300, perSecond: 1, sinceMs: 0, lastMs: MINUTE, episodeMs: 0,
      example: 'second', sender: 's', label: 'id',
    },
  ]); // biome-ignore format: one object to read
  await clock.advance(10 * MINUTE);
  expect(log.states()[0]?.perSecond).toBe(0);
  add('third');
  expect(log.states()[0]).toMatchObject({ sinceMs: 0, episodeMs: 11 * MINUTE, count: 450 });
});
