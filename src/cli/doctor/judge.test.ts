import { expect, test } from 'vitest';
import type { StatusResponse, TelemetryResponse } from '../../api/contract/index.ts';
import { type DataFacts, type Facts, judge } from './judge.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const status: StatusResponse = {
  version: '1',
  startedAt: '2025-12-31T00:00:00.000Z',
  now: '2026-01-01T00:00:00.000Z',
  demo: 'off',
  clusters: [],
  storeUp: true,
  trouble: [],
};
const source: TelemetryResponse['sources'][number] = {
  cluster: 'c',
  kind: 'otlp',
  name: 'x',
  state: 'connected',
  lastSeen: null,
  lagSeconds: null,
  gaps: 0,
  perSecond: 1,
  requests: 1,
  items: 1,
  bytes: 1,
  dropped: 0,
  repeated: 0,
  perMinute: [],
  usualPauseSeconds: null,
};
const telemetry: TelemetryResponse = {
  sources: [source],
  dropped: [],
  tables: [{ name: 'samples', rows: 5, bytes: 2_000_000, kind: 'signal' }],
  series: 1,
  spool: { bytes: 0, maxBytes: 100, oldestSeconds: 0, refusedFiles: 0, state: 'ok' },
  store: { up: true, since: '2025-12-31T00:00:00.000Z' },
  loops: [],
};
const data: DataFacts = {
  path: '/d',
  exists: true,
  lock: { pid: 5, alive: true },
  freeBytes: 5e10,
  diskBytes: 1e11,
  spoolBytes: 0,
  refusedFiles: 0,
  writable: true,
};
const answered = (
  change: { status?: Partial<StatusResponse>; telemetry?: Partial<TelemetryResponse>; waiting?: string[] } = {},
): Facts['answer'] => ({
  kind: 'trifocal',
  status: { ...status, ...change.status },
  telemetry: { ...telemetry, ...change.telemetry },
  waiting: change.waiting ?? [],
  rttMs: 3,
});
const facts = (change: Partial<Facts> = {}): Facts => ({
  version: '1',
  server: 'http://s',
  nowMs: NOW,
  ports: [],
  answer: answered(),
  data,
  ...change,
});

const notWell = (given: Facts) =>
  judge(given).flatMap(({ state, words }) => (state === 'ok' ? [] : [`${state}: ${words}`]));

test('all is well', () => {
  expect(notWell(facts())).toEqual([]);
  expect(judge(facts()).map(({ words }) => words)).toContain('the store is up and holds 2.0 MB');
});

test.each<[string, Partial<Facts>, (string | RegExp)[]]>([
  [
    'nobody answers',
    {
      answer: { kind: 'none', words: 'ECONNREFUSED' },
      ports: [
        { port: 4318, use: 'OTLP HTTP', open: true },
        { port: 4319, use: 'UI', open: false },
      ],
      data: { ...data, lock: undefined },
    },
    [/^problem: no Trifocal answers at http:\/\/s \(ECONNREFUSED\)/, /^problem: port 4318 \(OTLP HTTP\) is taken/],
  ],
  [
    'somebody else answers',
    { answer: { kind: 'other', words: 'it answered 404 to /api/status' } },
    [
      /^problem: what answers at http:\/\/s is not Trifocal/,
      /^problem: process 5 holds the data folder, but does not answer/,
    ],
  ],
  ['the clock is wrong', { nowMs: NOW + 90_000 }, ["problem: the server's clock is 1 min 30 s behind this machine's"]],
  ['another version', { version: '2' }, ['warning: this command is of Trifocal 2']],
  ['not ready', { answer: answered({ waiting: ['spool'] }) }, ['warning: it is not ready yet: it waits for spool']],
  [
    'nothing comes',
    { answer: answered({ telemetry: { sources: [] } }) },
    ['warning: nobody has sent anything since the start'],
  ],
  [
    'refused rows',
    { answer: answered({ telemetry: { spool: { ...telemetry.spool, refusedFiles: 2 } } }) },
    ['warning: 2 files of acknowledged rows lie in spool/refused'],
  ],
  [
    'trouble of its own',
    {
      answer: answered({
        status: {
          trouble: [{ id: 'x', severity: 'critical', since: status.now, words: 'the store is down', fix: 'wait' }],
        },
      }),
    },
    ['problem: the store is down'],
  ],
  ['a full disk', { data: { ...data, freeBytes: 1e9 } }, ['problem: 1.0 GB of 100.0 GB are free on its disk']],
  ['a folder of another', { data: { ...data, writable: false } }, ['problem: /d is not writable for this user']],
])('%s', (_, change, expected) => {
  const found = notWell(facts(change));
  expect(found).toHaveLength(expected.length);
  for (const [i, words] of expected.entries()) expect(found[i]).toMatch(words);
});
