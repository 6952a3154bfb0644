/** One step of the records' schema: plain SQL for PostgreSQL, run in one transaction. Never changed once released. */
export interface RecordMigration {
  version: number;
  name: string;
  sql: string;
}
