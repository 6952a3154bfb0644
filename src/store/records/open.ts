import { mkdir } from 'node:fs/promises';
import { openRecordDatabase } from './database.ts';
import { createInvestigationStore, type InvestigationStore } from './investigations.ts';

/** What users create and what must be transactional. `Body` is the form in which investigations are kept. */
export interface Records<Body> {
  investigations: InvestigationStore<Body>;
  close(): Promise<void>;
}

/** Opens the records in `folder`, their schema at the newest version. The caller holds the data folder's lock. */
export async function openRecords<Body extends { subject: string }>(options: {
  folder: string;
}): Promise<Records<Body>> {
  await mkdir(options.folder, { recursive: true });
  const database = await openRecordDatabase(options.folder);
  return { investigations: createInvestigationStore<Body>(database), close: database.close };
}
