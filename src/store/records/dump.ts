import { StoreError } from '../clickhouse/port.ts';
import type { RecordDatabase } from './database.ts';

/** A line of a dump: a table with its columns and their types, or a row of the table named last, every value as its text. */
export type DumpLine = { table: string; columns: [name: string, type: string][] } | (string | null)[];

const PAGE = 200;

/** The version of the records' schema. */
export async function recordSchema({ query }: RecordDatabase): Promise<number> {
  const [row] = await query('SELECT max(version) AS version FROM schema_migrations');
  return Number(row?.version ?? 0);
}

/** Every row as of the moment at which the first line is read. A page of rows is in memory at a time. */
export async function* dumpRecords({ query, transaction }: RecordDatabase): AsyncGenerator<DumpLine> {
  const tables = await describeTables(query);
  try {
    // Nothing else is written while a transaction runs, and its cursors keep what they saw when it ends.
    await transaction(async (within) => {
      for (const { table, columns } of tables) {
        const list = columns.map(([name]) => `${quote(name)}::text AS ${quote(name)}`).join(', ');
        await within(`DECLARE ${cursorOf(table)} NO SCROLL CURSOR WITH HOLD FOR SELECT ${list} FROM ${quote(table)}`);
      }
    });
    for (const { table, columns } of tables) {
      yield { table, columns };
      for (;;) {
        const rows = await query(`FETCH ${PAGE} FROM ${cursorOf(table)}`);
        for (const row of rows) yield columns.map(([name]) => textOrNull(row[name]));
        if (rows.length < PAGE) break;
      }
    }
  } finally {
    const open = await query("SELECT name FROM pg_cursors WHERE name LIKE 'dump\\_%'");
    for (const { name } of open) await query(`CLOSE ${quote(String(name))}`);
  }
}

function cursorOf(table: string): string {
  return quote(`dump_${table}`);
}

/** Adds the rows of a dump; one whose key is there already stays as it is. Returns how many there were. */
export async function restoreRecords(
  { query }: RecordDatabase,
  lines: AsyncIterable<DumpLine>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let table = '';
  let insert = '';
  for await (const line of lines) {
    if (Array.isArray(line)) {
      if (insert === '') throw new StoreError('data', 'the records begin with a row of no table');
      await query(insert, line);
      counts[table] = (counts[table] ?? 0) + 1;
      continue;
    }
    table = line.table;
    insert = await insertStatement(query, line.table, line.columns);
    counts[table] ??= 0;
  }
  return counts;
}

/** Only tables and columns that are there: the dump's own words never become SQL. */
async function insertStatement(
  query: RecordDatabase['query'],
  table: string,
  columns: readonly [string, string][],
): Promise<string> {
  const known = (await describeTables(query)).find((one) => one.table === table);
  if (!known) throw new StoreError('data', `the records have no table ${table}`);
  const types = new Map(known.columns);
  const values = columns.map(([name], i) => {
    const type = types.get(name);
    if (type === undefined) throw new StoreError('data', `the table ${table} has no column ${name}`);
    return `$${i + 1}::text::${type}`;
  });
  const names = columns.map(([name]) => quote(name)).join(', ');
  return `INSERT INTO ${quote(table)} (${names}) VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`;
}

async function describeTables(query: RecordDatabase['query']) {
  const rows =
    await query(`SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> 'schema_migrations' AND a.attnum > 0
  AND NOT a.attisdropped AND a.attgenerated = ''
ORDER BY c.relname, a.attnum`);
  const found = new Map<string, [string, string][]>();
  for (const row of rows) {
    const table = String(row.table_name);
    found.set(table, [...(found.get(table) ?? []), [String(row.name), String(row.type)]]);
  }
  return [...found].map(([table, columns]) => ({ table, columns }));
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
