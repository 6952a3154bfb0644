import type { RecordMigration } from '../migration.ts';

export const investigations: RecordMigration = {
  version: 1,
  name: 'investigations',
  // json rather than jsonb: the answer as it went out, and texts may hold \u0000.
  sql: `
CREATE TABLE investigations (
  id text PRIMARY KEY,
  created_at timestamptz NOT NULL,
  subject text NOT NULL,
  body json NOT NULL
);
CREATE INDEX investigations_newest ON investigations (created_at DESC, id DESC);
CREATE INDEX investigations_by_subject ON investigations (subject, created_at DESC);
`,
};
