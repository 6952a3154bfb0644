import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
import { openSpool } from '../ingest/index.ts';
import { everything } from '../model/index.ts';
import { createLogReader, createPromqlEngine, createTraceReader, openEmbeddedSource } from '../query/index.ts';
import { openFreshEngine, openStore, type Store, selectRows } from '../store/index.ts';

const forever = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
const limits = { seconds: 20, memoryBytes: 2 ** 29 };
const START_MS = 1_767_225_600_000;
const range = { from: START_MS - 3_600_000, to: START_MS + 3_600_000 };
const read = { scope: everything };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4737';

/** A row in every table that schema 3 (Trifocal 0.1.0, commit e01d44f) had, by the columns that it had. */
const ROWS = [
  `INSERT INTO series (metric, cluster, metric_id, series_id, labels, first_ts, last_ts)
SELECT 'old_metric', 'prod-eu', 7, 8, map('job', 'api'), fromUnixTimestamp64Milli(${START_MS}), fromUnixTimestamp64Milli(${START_MS})`,
  `INSERT INTO samples (metric_id, series_id, ts, value) SELECT 7, 8, fromUnixTimestamp64Milli(${START_MS}), 42`,
  `INSERT INTO metric_metadata (family, type, help, unit, seen) SELECT 'old_metric', 'gauge', 'help', '', now64(3)`,
  `INSERT INTO logs (time, observed, cluster, severity, body, resource, attributes, attribute_types)
SELECT fromUnixTimestamp64Milli(${START_MS}), now64(9), 'prod-eu', 9, 'an old line', map('host', 'a'), map('n', '5'), map('n', 'int')`,
  `INSERT INTO spans (start, duration_ns, cluster, service, name, kind, status, trace_id, span_id, scope_name, event_times, event_names, event_attributes,
  link_trace_ids, link_span_ids, link_attributes, flags)
SELECT fromUnixTimestamp64Milli(${START_MS}), 5, 'prod-eu', 'api', 'old span', 'server', 'ok', unhex('${TRACE}'), unhex('00f067aa0ba902b7'), 'lib',
  [fromUnixTimestamp64Milli(${START_MS})], ['event'], [map('a', 'b')], [toFixedString('x', 16)], [toFixedString('y', 8)], [map('c', 'd')], 1`,
  `INSERT INTO object_versions (cluster, kind, api_version, namespace, name, uid, resource_version, valid_from, deleted, body)
SELECT 'prod-eu', 'Pod', 'v1', 'ns', 'old-pod', 'uid-0', '1', fromUnixTimestamp64Milli(${START_MS}), false, '{}'`,
];

let folder: string;
let store: Store | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-upgrade-'));
});
afterEach(async () => {
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

test('a data folder of 0.1.0 opens, all of it is read, and what waits in its spool goes in', async () => {
  const engineFolder = join(folder, 'engine');
  const old = await openFreshEngine({
    folder: engineFolder,
    memoryBytes: 2 ** 30,
    schema: 3,
    clock: systemClock,
    logger: silentLogger,
  });
  for (const text of ROWS) await old.port.run({ text, params: {} }, { limits });
  await old.close();
  const spoolFolder = join(folder, 'spool');
  mkdirSync(spoolFolder);
  // Written by the spool of 0.1.0: three appends with samples, lines, spans, metadata and objects.
  const name = '0jmx7eio0-0123456789abcdef.segment';
  copyFileSync(join(import.meta.dirname, 'testdata/schema-3.segment'), join(spoolFolder, name));

  const engine = { kind: 'embedded', folder: engineFolder, memoryBytes: 2 ** 30 } as const;
  store = await openStore({ engine, retention: forever, clock: systemClock, logger: silentLogger });
  const { port } = store;
  const spool = await openSpool({
    folder: spoolFolder,
    store,
    maxBytes: 2 ** 30,
    clock: systemClock,
    logger: silentLogger,
  });
  await spool.ready;
  expect(spool.stats()).toMatchObject({ bytes: 0, refused: 0 });
  await spool.close();
  expect(readdirSync(spoolFolder).filter((file) => file.endsWith('.segment'))).toEqual([]);

  const source = await openEmbeddedSource({ port });
  const promql = createPromqlEngine({ source, clock: systemClock, limits: { ...limits, samples: 1e6 } });
  for (const [query, value] of [
    ['old_metric{job="api"}', 42],
    ['count({__name__=~"metric_.*"})', 15],
  ] as const) {
    const { value: result } = await promql.instant({ query, timeMs: START_MS + 1000, scope: everything });
    expect(result).toMatchObject({ kind: 'vector', samples: [{ value }] });
  }
  const { lines } = await createLogReader(port, limits).search({ range, limit: 100 }, read);
  expect(lines.map(({ body }) => body).sort()).toEqual([
    'an old line',
    ...[1, 2, 3].flatMap((n) => [`line ${n} 0`, `line ${n} 1`]),
  ]);
  const traces = createTraceReader(port, limits);
  const [span] = await traces.byId(TRACE, read);
  expect(span).toMatchObject({
    name: 'old span',
    events: [{ name: 'event' }],
    links: [{ attributes: new Map([['c', 'd']]) }],
    flags: 1,
  });
  const [replayed] = await traces.byId('2'.padStart(32, '0'), read);
  expect(replayed).toMatchObject({ name: 'span 2', events: [{ name: 'event', attributes: new Map([['a', 'b']]) }] });
  expect(replayed?.links).toMatchObject([{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }]);
  const names = await selectRows(
    port,
    { text: 'SELECT name FROM object_versions ORDER BY name', params: {} },
    { limits },
  );
  expect(names.map((row) => row.name)).toEqual(['old-pod', 'pod-1', 'pod-2', 'pod-3']);
  const families = await selectRows(
    port,
    { text: 'SELECT DISTINCT family FROM metric_metadata ORDER BY family', params: {} },
    { limits },
  );
  expect(families.map((row) => row.family)).toEqual(['metric_1', 'old_metric']);

  // The way back is refused by what an older program does at its start.
  await store.close();
  store = undefined;
  await expect(
    openFreshEngine({
      folder: engineFolder,
      memoryBytes: 2 ** 30,
      schema: 3,
      clock: systemClock,
      logger: silentLogger,
    }),
  ).rejects.toThrow(/the stored data has schema \d+, written by a newer Trifocal; this one knows schemas up to 3/);
});
