import { afterAll, beforeAll, expect, test } from 'vitest';
import { everything, type LogRecord, nowhere, type Place, type Scope } from '../../model/index.ts';
import { openTestStore, type TestStore } from '../testing.ts';
import { createLogReader, type LogReader, type LogSearch } from './index.ts';
import { wholeWords } from './read.ts';

let db: TestStore;
let logs: LogReader;

const T = Date.parse('2026-12-01T10:00:00Z');
const TRACE = '0af7651916cd43dd8448eb211c80319c';

function line(second: number, body: string, place: Partial<Place> = {}, more: Partial<LogRecord> = {}): LogRecord {
  return {
    timeNs: BigInt(T + second * 1000) * 1_000_000n + 7n,
    observedNs: BigInt(T) * 1_000_000n,
    severity: 9,
    severityText: 'INFO',
    body,
    resource: new Map([['k8s.pod.name', place.pod ?? '']]),
    attributes: new Map<string, string | bigint | boolean>([
      ['n', 9007199254740993n],
      ['ok', true],
      ['text', 'x'],
    ]),
    scope: { name: 's', version: '1' },
    traceId: '',
    spanId: '',
    flags: 0,
    place: { ...nowhere, cluster: 'eu', namespace: 'inference', ...place },
    ...more,
  };
}

beforeAll(async () => {
  db = await openTestStore();
  logs = createLogReader(db.store.port);
  const lines = [
    line(1, 'INFO engine started', { pod: 'a' }),
    line(
      2,
      'reconnection timed out after 5 s',
      { pod: 'a' },
      { severity: 17, traceId: TRACE, spanId: 'b7ad6b7169203331' },
    ),
    line(3, 'Größe überschritten', { pod: 'b' }, { severity: 13 }),
    line(4, 'no severity here', { pod: 'b', namespace: 'data' }, { severity: 0 }),
    line(5, 'elsewhere', { pod: 'a', cluster: 'us' }),
    line(6, 'no namespace', { namespace: '', node: 'gpu-1' }, { severity: 5 }),
  ];
  await db.insert({ logs: lines });
  await db.insert({ logs: lines.slice(0, 2) });
}, 60_000);
afterAll(() => db.close());

async function check(query: Partial<LogSearch>, expected: string[], scope: Scope = everything): Promise<void> {
  const found = await logs.search({ range: { from: T, to: T + 60_000 }, limit: 100, ...query }, { scope });
  expect(found.lines.map((record) => record.body)).toEqual(expected);
}

test('newest first, a retried line once', () =>
  check({}, [
    'no namespace',
    'elsewhere',
    'no severity here',
    'Größe überschritten',
    'reconnection timed out after 5 s',
    'INFO engine started',
  ]));

test('a limit says that there is more', async () => {
  const two = await logs.search({ range: { from: T, to: T + 60_000 }, limit: 2 }, { scope: everything });
  expect([two.lines.length, two.truncated]).toEqual([2, true]);
  const all = await logs.search({ range: { from: T, to: T + 60_000 }, limit: 6 }, { scope: everything });
  expect([all.lines.length, all.truncated]).toEqual([6, false]);
});

test('a range holds both its ends, to the nanosecond of a millisecond', async () => {
  await check({ range: { from: T + 1000, to: T + 1000 } }, ['INFO engine started']);
  await check({ range: { from: T + 1001, to: T + 1999 } }, []);
});

test('text is found inside words, in any case and alphabet', async () => {
  await check({ text: 'connection TIMED out' }, ['reconnection timed out after 5 s']);
  await check({ text: 'größe' }, ['Größe überschritten']);
  await check({ text: 'ime' }, ['reconnection timed out after 5 s']);
  await check({ text: "'; DROP TABLE logs; --" }, []);
});

test('severity, trace and place', async () => {
  await check({ minSeverity: 13 }, ['Größe überschritten', 'reconnection timed out after 5 s']);
  await check({ minSeverity: 9, places: [{ cluster: 'eu', namespace: 'data' }] }, ['no severity here']);
  await check({ traceId: TRACE }, ['reconnection timed out after 5 s']);
  await check({ places: [{ cluster: 'eu', namespace: 'inference', pods: ['a'] }] }, [
    'reconnection timed out after 5 s',
    'INFO engine started',
  ]);
  await check({ places: [{ cluster: 'eu', node: 'gpu-1' }, { cluster: 'us' }] }, ['no namespace', 'elsewhere']);
  await check({ places: [] }, []);
});

test('a scope', async () => {
  await check({}, ['no severity here'], { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['data'] }] });
  await check({ places: [{ cluster: 'eu' }] }, [], { kind: 'limited', clusters: [{ name: 'us' }] });
});

test('a line comes back as it was', async () => {
  const { lines } = await logs.search(
    { range: { from: T, to: T + 60_000 }, traceId: TRACE, limit: 1 },
    { scope: everything },
  );
  expect(lines[0]).toEqual(
    line(
      2,
      'reconnection timed out after 5 s',
      { pod: 'a' },
      { severity: 17, traceId: TRACE, spanId: 'b7ad6b7169203331' },
    ),
  );
});

test('only words inside the text can be looked up whole', () => {
  expect(wholeWords('connection timed out')).toEqual(['timed']);
  expect(wholeWords('timeout')).toEqual([]);
  expect(wholeWords(' CUDA error: ')).toEqual(['cuda', 'error']);
});

test('it keeps to the limits that it was given', async () => {
  const limited = createLogReader(db.store.port, { seconds: 20, memoryBytes: 2 ** 28, resultRows: 1 });
  const search = limited.search({ range: { from: T, to: T + 60_000 }, limit: 100 }, { scope: everything });
  await expect(search).rejects.toMatchObject({ kind: 'limit', limit: 'result rows 1' });
});
