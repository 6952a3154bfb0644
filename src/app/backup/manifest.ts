import { z } from 'zod';
import { newestRecordSchema, newestTelemetrySchema } from '../../store/index.ts';

/** First and last file of a backup; a backup without the last is none. */
export const MANIFEST = 'trifocal-backup.json';
export const CHECKSUMS = 'checksums.json';
export const RECORDS = 'records.jsonl';
/** Before the paths of the telemetry's files. */
export const TELEMETRY = 'telemetry/';

const FORMAT = 1;

const manifestSchema = z.object({
  format: z.number(),
  /** Of the Trifocal that made it. */
  version: z.string(),
  createdAt: z.string(),
  telemetrySchema: z.number(),
  recordsSchema: z.number(),
  tables: z.array(z.object({ name: z.string(), rows: z.number(), bytes: z.number() })),
  /** Of all files but the checksums. */
  files: z.number(),
  bytes: z.number(),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const checksumsSchema = z.record(z.string(), z.string());

/** The backup is damaged, of a newer Trifocal, or does not fit; the message is one sentence that says what and where. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export function newManifest(content: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...content };
}

/** Throws BackupError when this program cannot read what the manifest describes. */
export function parseManifest(text: string, version: string): Manifest {
  const { data, success } = manifestSchema.safeParse(parseJson(text));
  if (!success) throw new BackupError(`damaged: ${MANIFEST} is not as Trifocal writes it`);
  const newer = (what: string, found: number, known: number) => {
    if (found <= known) return;
    const made = `made by Trifocal ${data.version} with ${what} ${found}`;
    throw new BackupError(
      `${made}; this one (${version}) knows up to ${known}: restore it with that version or a newer one`,
    );
  };
  newer('backup format', data.format, FORMAT);
  newer('telemetry schema', data.telemetrySchema, newestTelemetrySchema);
  newer('records schema', data.recordsSchema, newestRecordSchema);
  return data;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
