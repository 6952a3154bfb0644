import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock, silentLogger, systemClock } from '../../../base/index.ts';
import { nowhere, type SignalBatch } from '../../../model/index.ts';
import { createBatchEncoder } from '../../encoding/encoder.ts';
import { startEngine } from '../../engine/start.ts';
import { keepForever, openEmbedded, temporaryFolder } from '../../testing.ts';
import { createClickHousePort } from '../client.ts';
import type { ClickHousePort } from '../port.ts';
import { applyRetention } from '../retention.ts';
import { selectRows } from '../rows.ts';
import { tables } from '../schema/tables.ts';
import { migrate } from './migrate.ts';
import { migrations } from './steps.ts';

const limits = { seconds: 20, memoryBytes: 2 ** 29 };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4737';

describe('migrations', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  const rows = (port: ClickHousePort, text: string) => selectRows(port, { text, params: {} }, { limits });
  /** The engine without the schema that `openStore` would give it. */
  const withBareEngine = async (work: (port: ClickHousePort) => Promise<void>) => {
    const settings = { folder: join(folder.path, 'engine'), memoryBytes: 2 ** 30, database: 'trifocal' };
    const engine = await startEngine({ ...settings, clock: systemClock, logger: silentLogger });
    const port = createClickHousePort(engine.endpoint);
    try {
      await work(port);
    } finally {
      await port.close();
      await engine.close();
    }
  };
  const insert = async (port: ClickHousePort) => {
    for (const { table, block } of createBatchEncoder(manualClock(0)).encode(someOfEach()).blocks) {
      const file = join(folder.path, `${table}.native`);
      await writeFile(file, block);
      await port.insertSegment({ table, file, token: table }, { limits });
    }
  };

  test('a database of the oldest schema keeps its data and gets what newer ones have', async () => {
    await withBareEngine(async (port) => {
      await migrate(port, silentLogger, migrations.slice(0, 1));
      for (const text of OLDEST_ROWS) await port.run({ text, params: {} }, { limits });
    });
    const store = await openEmbedded(join(folder.path, 'engine'));
    const { port } = store;
    expect(await rows(port, `SELECT count() AS c FROM trace_times WHERE trace_id = unhex('${TRACE}')`)).toEqual([
      { c: 1n },
    ]);
    const indexed = await rows(port, `EXPLAIN indexes = 1 SELECT body FROM logs WHERE hasAllTokens(body, 'hello')`);
    expect(indexed.map((row) => row.explain).join('\n')).toContain('words_index');
    expect(
      await rows(port, `SELECT body FROM logs WHERE hasAllTokens(body, 'hello') AND has(resource_items, 'a=b')`),
    ).toEqual([{ body: 'Hello World' }]);
    expect(await rows(port, 'SELECT value FROM samples')).toEqual([{ value: 7 }]);
    expect(await rows(port, 'SELECT version FROM schema_migrations ORDER BY version')).toEqual(
      migrations.map(({ version }) => ({ version })),
    );
    await store.close();
    await (await openEmbedded(join(folder.path, 'engine'))).close();
  });

  test('a step that was cut short runs again', async () => {
    await withBareEngine(async (port) => {
      await migrate(port, silentLogger, migrations.slice(0, 1));
      for (const text of migrations.slice(1).flatMap((step) => step.statements.slice(0, -1))) {
        await port.run({ text, params: {} }, { limits });
      }
      await migrate(port, silentLogger);
      await insert(port);
      expect(await rows(port, 'SELECT count() AS c FROM trace_times')).toEqual([{ c: 1n }]);
    });
  });

  test('data of a newer program is refused with a sentence that says so', async () => {
    await (await openEmbedded(join(folder.path, 'engine'))).close();
    await withBareEngine(async (port) => {
      const error = await migrate(port, silentLogger, migrations.slice(0, -1)).catch((caught) => caught);
      expect(error).toMatchObject({ kind: 'data', message: expect.stringContaining('written by a newer Trifocal') });
    });
  });

  test('tables are as described, and retention follows the configuration', async () => {
    const store = await openEmbedded(join(folder.path, 'engine'));
    const columns = await rows(
      store.port,
      `SELECT table, name, type FROM system.columns
WHERE database = currentDatabase() AND default_kind = '' AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree')
AND table != 'schema_migrations' ORDER BY table, name`,
    );
    const described = Object.entries(tables).flatMap(([table, all]) =>
      Object.entries(all).map(([name, { type }]) => ({ table, name, type })),
    );
    expect(described).toHaveLength(columns.length);
    expect(described).toEqual(expect.arrayContaining(columns));

    const ttl = async () =>
      (
        await rows(
          store.port,
          `SELECT name, extract(engine_full, ' TTL (.+?) SETTINGS') AS ttl FROM system.tables
WHERE database = currentDatabase() AND ttl != '' ORDER BY name`,
        )
      ).map((row) => `${row.name}: ${row.ttl}`);
    expect(await ttl()).toEqual([]);
    await applyRetention(store.port, { ...keepForever, metrics: 30, traces: 7 });
    const bounded = [
      'exemplars: ts + toIntervalDay(30)',
      'histograms: ts + toIntervalDay(30)',
      'samples: ts + toIntervalDay(30)',
      'series: last_ts + toIntervalDay(30)',
      'series_starts: ts + toIntervalDay(30)',
      'spans: start + toIntervalDay(7)',
      'trace_times: last + toIntervalDay(7)',
    ];
    expect(await ttl()).toEqual(bounded);
    await applyRetention(store.port, { ...keepForever, metrics: 30, traces: 7 });
    expect(await ttl()).toEqual(bounded);
    await insert(store.port);
    await store.port.run({ text: 'OPTIMIZE TABLE samples FINAL', params: {} }, { limits });
    expect(await rows(store.port, 'SELECT value FROM samples')).toEqual([]);
    await applyRetention(store.port, keepForever);
    expect(await ttl()).toEqual([]);
    await store.close();
  });
});

/** Rows as the first version wrote them: columns that came later are not theirs. */
const OLDEST_ROWS = [
  'INSERT INTO samples (ts, value) SELECT fromUnixTimestamp64Milli(5), 7',
  "INSERT INTO logs (time, body, resource) SELECT fromUnixTimestamp64Nano(5), 'Hello World', map('a', 'b')",
  `INSERT INTO spans (start, trace_id, event_times, event_names, event_attributes, link_trace_ids, link_span_ids, link_attributes)
SELECT fromUnixTimestamp64Nano(5), unhex('${TRACE}'), [fromUnixTimestamp64Nano(6)], ['e'], [map('k', 'v')],
  [unhex('${TRACE}')], [unhex('00f067aa0ba902b8')], [map('k', 'v')]`,
];

/** A sample, a line and a span of the year 1970. */
function someOfEach(): SignalBatch {
  const shared = {
    resource: new Map([['a', 'b']]),
    attributes: new Map(),
    scope: { name: '', version: '' },
    flags: 0,
    place: nowhere,
  };
  return {
    samples: {
      series: [{ cluster: 'c', labels: ['__name__', 'm'] }],
      seriesOf: new Uint32Array(1),
      timesMs: Float64Array.of(5),
      values: Float64Array.of(7),
    },
    logs: [
      {
        ...shared,
        timeNs: 5n,
        observedNs: 5n,
        severity: 0,
        severityText: '',
        body: 'Hello World',
        traceId: TRACE,
        spanId: '',
      },
    ],
    spans: [
      {
        ...shared,
        traceId: TRACE,
        spanId: '00f067aa0ba902b8',
        parentSpanId: '',
        name: 'x',
        kind: 'server',
        startNs: 5n,
        endNs: 6n,
        status: 'ok',
        statusMessage: '',
        events: [],
        links: [],
        traceState: '',
      },
    ],
  };
}
