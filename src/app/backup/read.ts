import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { readTar, type TarEntry, TarError } from '../../base/node/index.ts';
import type { DumpLine, TelemetryRestore } from '../../store/index.ts';
import {
  BackupError,
  CHECKSUMS,
  checksumsSchema,
  MANIFEST,
  type Manifest,
  parseJson,
  parseManifest,
  RECORDS,
  TELEMETRY,
} from './manifest.ts';

/** Of manifest and checksums, which are read whole: about a million files. */
const MOST_TEXT_BYTES = 256 * 1024 * 1024;

/**
 * Reads a backup from its first byte to its last and compares every file with its checksum. Throws BackupError with a sentence
 * that says what is wrong with it and where.
 */
export function checkBackup(file: string, version: string): Promise<Manifest> {
  return explained(file, async () => {
    const found = new Map<string, string>();
    let manifest: Manifest | undefined;
    let checksums: Record<string, string> | undefined;
    for await (const entry of entriesOf(file)) {
      if (checksums) throw new BackupError(`damaged: ${entry.path} comes after the end`);
      if (entry.path === CHECKSUMS) {
        checksums = checksumsSchema.safeParse(parseJson((await readText(entry)).text)).data;
        if (!checksums) throw new BackupError(`damaged: ${CHECKSUMS} is not as Trifocal writes it`);
      } else if (!manifest) {
        if (entry.path !== MANIFEST) throw new BackupError(`it does not begin with ${MANIFEST}`);
        const { text, hash } = await readText(entry);
        manifest = parseManifest(text, version);
        found.set(entry.path, hash);
      } else {
        const hash = createHash('sha256');
        for await (const piece of entry.content) hash.update(piece);
        found.set(entry.path, hash.digest('hex'));
      }
    }
    if (!manifest) throw new BackupError('it is empty');
    if (!checksums) throw new BackupError('cut short: it ends before its checksums');
    for (const [path, hash] of Object.entries(checksums)) {
      if (found.get(path) !== hash)
        throw new BackupError(`damaged: ${path} is ${found.has(path) ? 'not as it was written' : 'missing'}`);
      found.delete(path);
    }
    const [unknown] = found.keys();
    if (unknown !== undefined) throw new BackupError(`damaged: ${unknown} has no checksum`);
    return manifest;
  });
}

/** Writes the telemetry of a checked backup where it belongs, and hands its records over. */
export async function unpackBackup(
  file: string,
  into: { place: TelemetryRestore['place']; restoreRecords(lines: AsyncIterable<DumpLine>): Promise<unknown> },
): Promise<void> {
  for await (const entry of entriesOf(file)) {
    if (entry.path === RECORDS) await into.restoreRecords(recordLines(entry.content));
    else if (entry.path.startsWith(TELEMETRY))
      await writeFile(await into.place(entry.path.slice(TELEMETRY.length)), entry);
  }
}

function entriesOf(file: string): AsyncGenerator<TarEntry> {
  return readTar(createReadStream(file, { highWaterMark: 1024 * 1024 }));
}

async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError || error instanceof TarError) {
      throw new BackupError(`The backup ${file} can't be used: ${error.message}.`, { cause: error });
    }
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new BackupError(`There is no backup ${file}.`, { cause: error });
    }
    throw error;
  }
}

async function readText({ path, bytes, content }: TarEntry): Promise<{ text: string; hash: string }> {
  if (bytes > MOST_TEXT_BYTES) throw new BackupError(`damaged: ${path} has ${bytes} bytes`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  return { text: whole.toString('utf8'), hash: createHash('sha256').update(whole).digest('hex') };
}

async function* recordLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<DumpLine> {
  for await (const line of createInterface({ input: Readable.from(content), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as DumpLine; // its checksum has been compared: Trifocal wrote it
  }
}

async function writeFile(path: string, { content }: TarEntry): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const piece of content) await file.appendFile(piece); // all of it, in as many writes as it takes
    await file.datasync();
  } finally {
    await file.close();
  }
}
