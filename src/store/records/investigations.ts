import type { RecordDatabase, RecordRow } from './database.ts';

/** A finished investigation as it is kept; `Body` is the answer as it went out, plain JSON. */
export interface InvestigationRecord<Body> {
  id: string;
  createdMs: number;
  body: Body;
}

export interface InvestigationStore<Body> {
  /** Saving an id again replaces its record. What is too old, or too many, goes. */
  save(record: InvestigationRecord<Body>): Promise<void>;
  get(id: string): Promise<InvestigationRecord<Body> | undefined>;
  /** Newest first; `next` continues where this page ended. A cursor that is none begins at the newest. */
  list(page: {
    limit: number;
    cursor?: string;
  }): Promise<{ items: InvestigationRecord<Body>[]; next: string | undefined }>;
}

/** Investigations go when either is exceeded. Age counts from the newest record, so an old clock removes nothing. */
export interface InvestigationBounds {
  count: number;
  days: number;
}

export function createInvestigationStore<Body extends { subject: string }>(
  database: RecordDatabase,
  { count, days }: InvestigationBounds = { count: 10_000, days: 90 },
): InvestigationStore<Body> {
  const pruneEvery = Math.max(1, Math.floor(count / 100));
  let savesToPrune = 0;
  const toRecord = (row: RecordRow): InvestigationRecord<Body> => ({
    id: String(row.id),
    createdMs: Number(row.created_ms),
    body: JSON.parse(String(row.body)) as Body, // `save` is the only one that writes it
  });
  const columns = 'id, (extract(epoch FROM created_at) * 1000)::bigint AS created_ms, body::text AS body';
  return {
    async save({ id, createdMs, body }) {
      await database.query(
        `INSERT INTO investigations (id, created_at, subject, body) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, subject = excluded.subject, body = excluded.body`,
        [id, new Date(createdMs).toISOString(), body.subject, JSON.stringify(body)],
      );
      if (savesToPrune-- > 0) return;
      savesToPrune = pruneEvery - 1;
      await database.query(
        `DELETE FROM investigations
WHERE created_at < (SELECT max(created_at) FROM investigations) - $1::integer * interval '1 day'
OR (created_at, id) <= (SELECT created_at, id FROM investigations ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT 1)`,
        [days, count],
      );
    },
    async get(id) {
      const [row] = await database.query(`SELECT ${columns} FROM investigations WHERE id = $1`, [id]);
      return row && toRecord(row);
    },
    async list({ limit, cursor }) {
      const after = parseCursor(cursor);
      const rows = await database.query(
        `SELECT ${columns} FROM investigations
WHERE $1::timestamptz IS NULL OR (created_at, id) < ($1::timestamptz, $2::text)
ORDER BY created_at DESC, id DESC LIMIT $3`,
        [after ? new Date(after.createdMs).toISOString() : null, after?.id ?? null, limit + 1],
      );
      const items = rows.slice(0, limit).map(toRecord);
      const last = items.at(-1);
      return { items, next: rows.length > limit && last ? formatCursor(last) : undefined };
    },
  };
}

function formatCursor({ createdMs, id }: { createdMs: number; id: string }): string {
  return Buffer.from(`${createdMs} ${id}`).toString('base64url');
}

function parseCursor(cursor: string | undefined): { createdMs: number; id: string } | undefined {
  const match = /^(\d{1,15}) (.+)$/.exec(Buffer.from(cursor ?? '', 'base64url').toString());
  return match ? { createdMs: Number(match[1]), id: match[2] ?? '' } : undefined;
}
