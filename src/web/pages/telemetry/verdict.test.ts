import { describe, expect, it, test } from 'vitest';
import { type Source, troubledSources } from '../../components/telemetry/source-state.ts';
import { type Drop, verdictOf } from './verdict.ts';

const NOW = Date.UTC(2026, 11, 1, 12, 0);
const seen = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

const source = (
  name: string,
  state: Source['state'],
  agoSeconds: number | null,
  more: Partial<Source> = {},
): Source => ({
  cluster: 'eu',
  kind: 'otlp',
  name,
  state,
  lastSeen: agoSeconds === null ? null : seen(agoSeconds),
  lagSeconds: 1,
  gaps: 0,
  perSecond: 5,
  requests: 10,
  items: 100,
  bytes: 1000,
  dropped: 0,
  repeated: 0,
  perMinute: [],
  usualPauseSeconds: 15,
  ...more,
});
const drop = (perSecond: number, more: Partial<Drop> = {}): Drop => ({
  reason: 'limit_series',
  signal: 'samples',
  protocol: 'remote-write',
  count: 100,
  perSecond,
  since: seen(300),
  last: seen(1),
  fix: 'Drop it.',
  ...more,
});

const well = {
  dropped: [] as Drop[],
  spool: { bytes: 0, maxBytes: 1e9, oldestSeconds: 0.5, refusedFiles: 0, state: 'ok' as const },
  store: { up: true, since: seen(3600) },
};
const good = source('10.0.0.1', 'connected', 3);

describe('the verdict', () => {
  test.each([
    ['nothing yet', well, [], 'unknown', 'Nothing has been sent here yet.'],
    ['one', well, [good], 'ok', 'The one source delivers, nothing is being dropped, and the store keeps up.'],
    [
      'all well, drops of long ago',
      { ...well, dropped: [drop(0)] },
      [good, good],
      'ok',
      'All 2 sources deliver, nothing is being dropped, and the store keeps up.',
    ],
    [
      'a silent one',
      well,
      [good, source('10.0.0.2', 'silent', 372)],
      'warning',
      'OTLP 10.0.0.2 of eu has been silent for 6\u2009m.',
    ],
    [
      'a visitor who left',
      well,
      [good, source('10.0.0.2', 'silent', 372, { usualPauseSeconds: null })],
      'ok',
      'The one source delivers, nothing is being dropped, and the store keeps up.',
    ],
    [
      'nobody but visitors',
      well,
      [source('10.0.0.2', 'silent', 372, { usualPauseSeconds: null })],
      'idle',
      'Nobody sends here regularly.',
    ],
    [
      'a late one and a refused one',
      well,
      [source('a', 'lagging', 3, { lagSeconds: 240 }), source('b', 'refused', 3), good],
      'critical',
      'OTLP b of eu is refused, and 1 other source of 3 cannot be trusted either.',
    ],
    [
      'drops by a label',
      { ...well, dropped: [drop(2, { reason: 'too_old' }), drop(12, { label: 'user_id' })] },
      [good],
      'warning',
      '12 samples per second are dropped: too many series by the label user_id and for 1 other reason.',
    ],
    [
      'a rare drop',
      { ...well, dropped: [drop(0.05, { reason: 'too_old' })] },
      [good],
      'warning',
      '3 samples per minute are dropped: older than is accepted.',
    ],
    [
      'behind, and silent',
      { ...well, spool: { ...well.spool, state: 'behind' as const, oldestSeconds: 42 } },
      [source('a', 'silent', null)],
      'warning',
      'The store is behind: the newest 42.0\u2009s cannot be seen yet. OTLP a of eu was never heard.',
    ],
    [
      'full',
      { ...well, spool: { ...well.spool, state: 'full' as const } },
      [good],
      'critical',
      'The spool is full: senders are told to come back later.',
    ],
    [
      'down',
      { ...well, store: { up: false, since: seen(60) } },
      [good],
      'critical',
      'The store is down: what arrives is kept in the spool, and nothing can be read.',
    ],
  ])('%s', (_, data, sources, state, words) => {
    expect(verdictOf(data, sources, NOW)).toEqual({ state, words });
  });
});

it('the refused stand before the silent, the longest silent before the others, and visitors are left out', () => {
  const all = [
    source('late', 'lagging', 1),
    source('visitor', 'silent', 5000, { usualPauseSeconds: null }),
    source('short', 'silent', 200),
    good,
    source('refused', 'refused', 1),
    source('long', 'silent', 900),
  ];
  expect(troubledSources(all).map((s) => s.name)).toEqual(['refused', 'long', 'short', 'late']);
});
