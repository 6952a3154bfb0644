import type { RecordMigration } from '../migration.ts';
import { investigations } from './001-investigations.ts';

/** Every step, in order. */
export const recordMigrations: readonly RecordMigration[] = [investigations];
