import { expect, test } from 'vitest';
import { everything, type Scope } from '../../model/index.ts';
import { trouble } from '../contract/index.ts';
import { fixOf } from './drop-fixes.ts';
import { type TroubleFacts, troubleOf } from './trouble.ts';

const well: TroubleFacts = {
  store: { up: true, sinceMs: 0 },
  spool: { state: 'ok', sinceMs: 0 },
  ingestUp: true,
  nowMs: 99_000,
  sources: [],
  dropped: [],
};
const source = (over: Partial<TroubleFacts['sources'][number]>): TroubleFacts['sources'][number] => ({
  cluster: 'eu',
  kind: 'otlp',
  name: '10.0.0.7 otelcol/0.130',
  state: 'connected',
  sinceMs: 5_000,
  usualPauseSeconds: 5,
  ...over,
});
const drop = (over: Partial<TroubleFacts['dropped'][number]>): TroubleFacts['dropped'][number] => ({
  reason: 'limit_series',
  signal: 'samples',
  protocol: 'remote-write',
  count: 100,
  perSecond: 3.2,
  sinceMs: 1_000,
  lastMs: 9_000,
  episodeMs: 8_000,
  example: 'm is full',
  label: 'user_id',
  ...over,
});

test.each<[string, Partial<TroubleFacts>, [id: string, severity: string, words: RegExp][]]>([
  ['all is well', {}, []],
  ['the store is down', { store: { up: false, sinceMs: 1 } }, [['store-down', 'critical', /nothing can be read/]]],
  [
    'the spool is behind, with the reason',
    { spool: { state: 'behind', sinceMs: 1, message: 'the store is slow' } },
    [['spool-behind', 'warning', /behind.*\(the store is slow\)\.$/]],
  ],
  ['the spool is full', { spool: { state: 'full', sinceMs: 1 } }, [['spool-full', 'critical', /try again/]]],
  [
    'the disk refuses',
    { spool: { state: 'disk-refuses', sinceMs: 1 } },
    [['spool-disk-refuses', 'critical', /stopped/]],
  ],
  ['ingest restarts', { ingestUp: false }, [['ingest-restarting', 'critical', /started again/]]],
  [
    'a source is silent',
    { sources: [source({ state: 'silent', message: 'nothing came for 5 min' })] },
    [['source-silent otlp eu 10.0.0.7 otelcol/0.130', 'warning', /otelcol\/0.130 of cluster eu is silent.*for 5 min/]],
  ],
  ['a visitor who left is no trouble', { sources: [source({ state: 'silent', usualPauseSeconds: null })] }, []],
  [
    'one that was never taken is',
    { sources: [source({ state: 'refused', usualPauseSeconds: null, message: 'bad' })] },
    [['source-refused otlp eu 10.0.0.7 otelcol/0.130', 'warning', /not stored \(bad\)/]],
  ],
  [
    'a source lags',
    { sources: [source({ state: 'lagging' })] },
    [['source-lagging otlp eu 10.0.0.7 otelcol/0.130', 'warning', /old/]],
  ],
  [
    'many of one kind are one line',
    { sources: [1, 2, 3, 4].map((i) => source({ state: 'silent', name: `s${i}`, sinceMs: 9_000 - i })) },
    [['sources-silent', 'warning', /^OTLP s4 of cluster eu and 3 more sources are silent: their/]],
  ],
  [
    'sources of random clusters are one line',
    {
      sources: Array.from({ length: 500 }, (_, i) => source({ state: 'lagging', cluster: `c${i}`, sinceMs: i })),
    },
    [['sources-lagging', 'warning', /^OTLP 10.0.0.7 otelcol\/0.130 of cluster c0 and 499 more sources lag: /]],
  ],
  [
    'a limit drops',
    { dropped: [drop({})] },
    [['dropped limit_series samples remote-write', 'warning', /3 per second \(m is full\)/]],
  ],
  ['a limit that dropped earlier is none', { dropped: [drop({ perSecond: 0 })] }, []],
  ['what a sender did wrong is none', { dropped: [drop({ reason: 'too_old' })] }, []],
  [
    'critical comes first, then what began first',
    {
      dropped: [drop({})],
      sources: [source({ state: 'lagging' })],
      store: { up: false, sinceMs: 50_000 },
    },
    [
      ['store-down', 'critical', /./],
      ['source-lagging otlp eu 10.0.0.7 otelcol/0.130', 'warning', /./],
      ['dropped limit_series samples remote-write', 'warning', /./],
    ],
  ],
])('%s', (_, facts, expected) => {
  const found = troubleOf({ ...well, ...facts }, everything).map((one) => trouble.parse(one));
  expect(found.map(({ id, severity }) => [id, severity])).toEqual(expected.map(([id, severity]) => [id, severity]));
  for (const [i, [, , words]] of expected.entries()) expect(found[i]?.words).toMatch(words);
});

test('who may see one cluster is not told of sources, examples and labels of others', () => {
  const scope: Scope = { kind: 'limited', clusters: [{ name: 'us' }] };
  const facts = { ...well, sources: [source({ state: 'silent' })], dropped: [drop({})] };
  const found = troubleOf(facts, scope);
  expect(found).toHaveLength(1);
  expect(JSON.stringify(found)).not.toMatch(/m is full|user_id/);
});

test('every reason has something to do about it', () => {
  for (const reason of [
    'too_old',
    'too_new',
    'duplicate_value',
    'invalid',
    'oversize',
    'limit_series',
    'limit_labels',
    'sampled',
    'unreadable',
    'refused_backpressure',
  ]) {
    expect(fixOf({ reason, signal: 'samples', protocol: 'otlp' })).toMatch(/^[A-Z].*\.$/);
  }
  expect(fixOf({ reason: 'limit_series', signal: 'samples', protocol: 'otlp', label: 'user_id' })).toContain(
    'label user_id',
  );
  expect(fixOf({ reason: 'oversize', signal: 'logs', protocol: 'loki' })).toMatch(/limits\.line.*ingest\.maxBody/);
  expect(fixOf({ reason: 'oversize', signal: 'samples', protocol: 'otlp' })).not.toContain('limits.line');
});
