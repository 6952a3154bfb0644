import { PGlite } from '@electric-sql/pglite';
import { StoreError } from '../clickhouse/port.ts';
import type { RecordMigration } from './migration.ts';
import { recordMigrations } from './migrations/index.ts';

export type RecordParam = string | number | boolean | null;
export type RecordRow = Readonly<Record<string, unknown>>;
export type RecordQuery = (text: string, params?: readonly RecordParam[]) => Promise<RecordRow[]>;

/** PostgreSQL, as far as records need it; placeholders are `$1`, `$2`. */
export interface RecordDatabase {
  query: RecordQuery;
  /** Runs `work` in one transaction, alone: the database's other queries wait until it ends. */
  transaction<T>(work: (query: RecordQuery) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the embedded PostgreSQL in `folder`. Two processes on one folder lose rows: the caller holds the data lock. */
export async function openRecordDatabase(
  folder: string,
  migrations: readonly RecordMigration[] = recordMigrations,
): Promise<RecordDatabase> {
  const engine = await PGlite.create(folder);
  const database: RecordDatabase = {
    query: async (text, params = []) => (await engine.query<RecordRow>(text, [...params])).rows,
    transaction: (work) =>
      engine.transaction((within) =>
        work(async (text, params = []) => (await within.query<RecordRow>(text, [...params])).rows),
      ),
    close: () => engine.close(),
  };
  try {
    await migrateRecords(engine, database, migrations);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return database;
}

async function migrateRecords(
  engine: PGlite,
  { query }: RecordDatabase,
  migrations: readonly RecordMigration[],
): Promise<void> {
  await query(`CREATE TABLE IF NOT EXISTS schema_migrations
(version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const applied = (await query('SELECT version FROM schema_migrations')).map((row) => Number(row.version));
  const newest = Math.max(0, ...migrations.map((step) => step.version));
  const found = Math.max(0, ...applied);
  if (found > newest) {
    const message = `the records have schema ${found}, written by a newer Trifocal; this one knows schemas up to ${newest}`;
    throw new StoreError('data', message);
  }
  for (const step of migrations) {
    if (applied.includes(step.version)) continue;
    await engine.transaction(async (transaction) => {
      await transaction.exec(step.sql);
      await transaction.query('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [
        step.version,
        step.name,
      ]);
    });
  }
}
