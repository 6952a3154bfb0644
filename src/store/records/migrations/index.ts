import { investigations } from './001-investigations.ts';
import type { RecordMigration } from './migration.ts';

/** Every step, in order. */
export const recordMigrations: readonly RecordMigration[] = [investigations];
