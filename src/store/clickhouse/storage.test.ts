import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { openStore, type Store } from '../store.ts';
import { keepForever, temporaryFolder } from '../testing.ts';
import { keptBy, type Retention } from './retention.ts';
import { selectRows } from './rows.ts';
import { tables } from './schema/tables.ts';

const limits = { seconds: 20, memoryBytes: 2 ** 29 };
const DAY_MS = 86_400_000;

/** Tables whose days go, and the column that says which day a row is of. */
const timed = Object.entries(keptBy).flatMap(([table, kept]) =>
  kept === 'forever' ? [] : [{ table, time: kept.time }],
);

describe('the storage', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let store: Store | undefined;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await store?.close();
    await folder.remove();
  });
  const open = async (retention: Retention) => {
    await store?.close();
    const engine = { kind: 'embedded', folder: folder.path, memoryBytes: 2 ** 30 } as const;
    store = await openStore({ engine, retention, clock: systemClock, logger: silentLogger });
    return store;
  };
  const rows = async (text: string) => (store ? selectRows(store.port, { text, params: {} }, { limits }) : []);
  const run = async (text: string) => store?.port.run({ text, params: {} }, { limits });
  const insert = async (ageDays: number) => {
    const ms = Date.now() - ageDays * DAY_MS;
    for (const { table, time } of timed) {
      await run(`INSERT INTO ${table} (${time}) SELECT fromUnixTimestamp64Milli(toInt64(${ms})) FROM numbers(10)`);
      await run(`OPTIMIZE TABLE ${table} FINAL`);
    }
  };
  /** Table by table, the ages in days of what it holds. */
  const ages = async () => {
    const found: string[] = [];
    for (const { table, time } of timed) {
      const each = await rows(`SELECT DISTINCT dateDiff('day', ${time}, now64(3)) AS age FROM ${table} ORDER BY age`);
      found.push(`${table}: ${each.map(({ age }) => age).join(' ')}`);
    }
    return found;
  };
  const everywhere = (list: string) => timed.map(({ table }) => `${table}: ${list}`);
  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  const days = (count: number): Retention => ({ metrics: count, logs: count, traces: count, objects: count });

  test('days older than asked for go by themselves, in every table, also after a change', async () => {
    await open(keepForever);
    for (const age of [0, 10, 30, 60]) await insert(age);
    expect(await ages()).toEqual(everywhere('0 10 30 60'));

    await open(days(40));
    await until(async () => (await ages()).every((line) => !line.endsWith(' 60')));
    expect(await ages()).toEqual(everywhere('0 10 30'));

    await open(days(20));
    await until(async () => (await ages()).every((line) => !line.endsWith(' 30')));
    expect(await ages()).toEqual(everywhere('0 10'));

    await open(keepForever);
    await insert(60);
    expect(await ages()).toEqual(everywhere('0 10 60'));
  });

  test('what merges write is synced, in every table', async () => {
    await open(keepForever);
    const unsynced = `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
AND NOT engine_full LIKE '%min_rows_to_fsync_after_merge = 1%'`;
    expect(await rows(unsynced)).toEqual([]);
    for (const value of [1, 2]) await run(`INSERT INTO samples (value) SELECT ${value}`);
    const syncs = async () => {
      const [row] = await rows("SELECT sum(value) AS count FROM system.events WHERE event = 'FileSync'");
      return Number(row?.count);
    };
    const before = await syncs();
    await run('OPTIMIZE TABLE samples FINAL');
    expect(await syncs()).toBeGreaterThan(before);
  });

  test('sizes tell signals from bookkeeping, parts tell how merges keep up', async () => {
    const { tableStats, partStats } = await open(keepForever);
    await run('SYSTEM STOP MERGES samples');
    for (const value of [1, 2, 3]) await run(`INSERT INTO samples (value) SELECT ${value} FROM numbers(10)`);
    const sizes = await tableStats();
    expect(sizes.find(({ name }) => name === 'samples')).toMatchObject({ rows: 30, kind: 'signal' });
    expect(sizes.find(({ name }) => name === 'schema_migrations')).toMatchObject({ kind: 'system' });
    // The embedded engine must not keep logs of its own: nothing would bound them.
    const known = new Set<string>([...Object.keys(tables), 'schema_migrations']);
    expect(sizes.filter(({ name }) => !known.has(name))).toEqual([]);

    const parts = async () => (await partStats()).find(({ table }) => table === 'samples');
    expect(await parts()).toMatchObject({ active: 3, outdated: 0, merges: 0 });
    await run('SYSTEM START MERGES samples');
    await run('OPTIMIZE TABLE samples FINAL');
    expect(await parts()).toMatchObject({ active: 1 });
  });
});
