import { mkdir } from 'node:fs/promises';
import { openRecordDatabase } from './database.ts';
import { type DumpLine, dumpRecords, recordSchema, restoreRecords } from './dump.ts';
import { createInvestigationStore, type InvestigationStore } from './investigations.ts';
import { recordMigrations } from './migrations/index.ts';

/** What users create and what must be transactional. `Body` is the form in which investigations are kept. */
export interface Records<Body> {
  investigations: InvestigationStore<Body>;
  schema(): Promise<number>;
  /** Every row of every table as of now. */
  dump(): AsyncGenerator<DumpLine>;
  /** Adds the rows of a dump; those that are there already stay. Returns the number of rows in the dump by table. */
  restore(lines: AsyncIterable<DumpLine>): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Opens the records in `folder`, their schema at the newest version or, to restore an older dump, at `schema`. The caller
 * holds the data folder's lock.
 */
export async function openRecords<Body extends { subject: string }>(options: {
  folder: string;
  schema?: number;
}): Promise<Records<Body>> {
  await mkdir(options.folder, { recursive: true });
  const newest = options.schema ?? Number.POSITIVE_INFINITY;
  const database = await openRecordDatabase(
    options.folder,
    recordMigrations.filter((step) => step.version <= newest),
  );
  return {
    investigations: createInvestigationStore<Body>(database),
    schema: () => recordSchema(database),
    dump: () => dumpRecords(database),
    restore: (lines) => restoreRecords(database, lines),
    close: database.close,
  };
}

/** The newest schemas that this program knows. */
export const newestRecordSchema = Math.max(0, ...recordMigrations.map((step) => step.version));
