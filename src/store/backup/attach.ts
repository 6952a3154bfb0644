import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ClickHousePort, type QueryLimits, StoreError } from '../clickhouse/port.ts';
import { selectRows } from '../clickhouse/rows.ts';
import { isTableName } from '../clickhouse/schema/tables.ts';
import { dataPaths } from './freeze.ts';

/** Puts parts of a backup into the tables: first their files, then all at once. */
export interface TelemetryRestore {
  /** Where a file of the backup belongs, its folder made. `path` is `<table>/<part>/<file>`; throws a StoreError for any other. */
  place(path: string): Promise<string>;
  /** Makes the parts that were placed part of their tables. Resolves with the rows that each table holds then. */
  attach(): Promise<Map<string, number>>;
  /** Removes what was placed and not attached. Resolves with the number of parts that were; they stay. */
  discard(): Promise<{ attached: number }>;
}

const LIMITS: QueryLimits = { seconds: 600, memoryBytes: 512 * 1024 ** 2 };
/** As ClickHouse names parts and their files; nothing that leads out of the folder. */
const PART_NAME = /^[0-9a-zA-Z-]+(_\d+){3,4}$/;
const FILE_NAME = /^[\w%.@=-]+(\/[\w%.@=-]+)*$/;

export async function beginTelemetryRestore(port: ClickHousePort): Promise<TelemetryRestore> {
  const paths = await dataPaths(port);
  /** Table by table, the parts placed. */
  const placed = new Map<string, Set<string>>();
  let attached = 0;
  const partFolder = (table: string, part: string) => join(paths.get(table) ?? '', 'detached', part);

  return {
    async place(path) {
      const [table = '', part = '', ...rest] = path.split('/');
      const file = rest.join('/');
      if (!isTableName(table) || !paths.has(table)) throw new StoreError('data', `no table ${table} for ${path}`);
      if (!PART_NAME.test(part) || !FILE_NAME.test(file) || /(^|\/)\.\.?(\/|$)/.test(file)) {
        throw new StoreError('data', `${path} is no file of a table's part`);
      }
      const parts = placed.get(table) ?? new Set();
      placed.set(table, parts);
      if (!parts.has(part)) {
        await rm(partFolder(table, part), { recursive: true, force: true });
        parts.add(part);
      }
      const target = join(partFolder(table, part), file);
      await mkdir(dirname(target), { recursive: true });
      return target;
    },
    async attach() {
      for (const [table, parts] of placed) {
        for (const part of parts) {
          await port.run({ text: `ALTER TABLE ${table} ATTACH PART '${part}'`, params: {} }, { limits: LIMITS });
          parts.delete(part);
          attached++;
        }
      }
      return countRows(port);
    },
    async discard() {
      for (const [table, parts] of placed) {
        for (const part of parts) await rm(partFolder(table, part), { recursive: true, force: true });
      }
      return { attached };
    },
  };
}

/** Rows of every table of signals; those without any are left out. */
export async function countRows(port: ClickHousePort): Promise<Map<string, number>> {
  const text = `SELECT table, sum(rows) AS total FROM system.parts WHERE database = currentDatabase() AND active
GROUP BY table HAVING total > 0`;
  const rows = await selectRows(port, { text, params: {} }, { limits: LIMITS });
  return new Map(
    rows.filter((row) => isTableName(String(row.table))).map((row) => [String(row.table), Number(row.total)]),
  );
}
