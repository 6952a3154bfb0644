import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ClickHousePort, QueryLimits } from '../clickhouse/port.ts';
import { selectRows } from '../clickhouse/rows.ts';
import { type TableName, tables } from '../clickhouse/schema/tables.ts';

export interface FrozenFile {
  /** `<table>/<part>/<file>`, with slashes. */
  path: string;
  /** Where it is on this machine. */
  source: string;
  bytes: number;
}

/** All telemetry as of one moment: hard links that merges, retention and ingest don't touch. They take no room of their own at first. */
export interface FrozenTelemetry {
  /** The schema's version. */
  schema: number;
  tables: { name: TableName; rows: number; bytes: number }[];
  files: FrozenFile[];
  /** Removes the links. */
  release(): Promise<void>;
}

const LIMITS: QueryLimits = { seconds: 600, memoryBytes: 512 * 1024 ** 2 };

/** Tables by which rows of others are found. They come last: what is found in the others has its entry in them. */
const LOOKUPS: ReadonlySet<string> = new Set(['series', 'series_starts', 'trace_times', 'metric_metadata']);

/** Freezes every table of the embedded engine, one after the other, each between two inserts. */
export async function freezeTelemetry(port: ClickHousePort, name: string): Promise<FrozenTelemetry> {
  const root = await diskPath(port);
  const shadow = join(root, 'shadow', name);
  const release = () => rm(shadow, { recursive: true, force: true });
  try {
    const schema = await schemaVersion(port);
    const paths = await dataPaths(port);
    const names = Object.keys(tables) as TableName[]; // its keys are the names
    const frozen: FrozenTelemetry = { schema, tables: [], files: [], release };
    for (const table of [...names].sort((a, b) => Number(LOOKUPS.has(a)) - Number(LOOKUPS.has(b)))) {
      await port.run({ text: `ALTER TABLE ${table} FREEZE WITH NAME '${name}'`, params: {} }, { limits: LIMITS });
      const { rows, files } = await listParts(table, join(shadow, relative(root, paths.get(table) ?? '')));
      frozen.files.push(...files);
      frozen.tables.push({ name: table, rows, bytes: files.reduce((sum, file) => sum + file.bytes, 0) });
    }
    return frozen;
  } catch (error) {
    await release();
    throw error;
  }
}

/** Removes what backups of an earlier process left frozen: it keeps the room of parts that are long gone. */
export async function releaseAllFrozen(folder: string): Promise<void> {
  await rm(join(folder, 'shadow'), { recursive: true, force: true });
}

/** Where the engine keeps the parts of each table. */
export async function dataPaths(port: ClickHousePort): Promise<Map<string, string>> {
  const text =
    "SELECT name, data_paths[1] AS path FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'";
  const rows = await selectRows(port, { text, params: {} }, { limits: LIMITS });
  return new Map(rows.map((row) => [String(row.name), String(row.path)]));
}

/** The engine's own words for its folder: relative to it are the paths of what is frozen. */
async function diskPath(port: ClickHousePort): Promise<string> {
  const [row] = await selectRows(
    port,
    { text: "SELECT path FROM system.disks WHERE name = 'default'", params: {} },
    { limits: LIMITS },
  );
  return String(row?.path ?? '');
}

async function schemaVersion(port: ClickHousePort): Promise<number> {
  const statement = { text: 'SELECT max(version) AS version FROM schema_migrations', params: {} };
  const [row] = await selectRows(port, statement, { limits: LIMITS });
  return Number(row?.version ?? 0);
}

async function listParts(table: string, folder: string): Promise<{ rows: number; files: FrozenFile[] }> {
  const files: FrozenFile[] = [];
  let rows = 0;
  for (const part of await readdir(folder).catch(() => [])) {
    // a table without parts has no folder
    const count = Number(await readFile(join(folder, part, 'count.txt'), 'utf8'));
    if (count === 0) continue; // all of it has expired
    rows += count;
    for (const entry of await readdir(join(folder, part), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const source = join(entry.parentPath, entry.name);
      files.push({ path: `${table}/${relative(folder, source)}`, source, bytes: (await stat(source)).size });
    }
  }
  return { rows, files };
}
