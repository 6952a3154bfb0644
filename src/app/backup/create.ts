import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, newId } from '../../base/index.ts';
import { type TarEntry, writeTar } from '../../base/node/index.ts';
import { formatTime } from '../../model/index.ts';
import type { Records, StoreBackup } from '../../store/index.ts';
import { CHECKSUMS, MANIFEST, type Manifest, newManifest, RECORDS, TELEMETRY } from './manifest.ts';

/** Behind the name of a folder for what is in the making. */
const MAKING = '.making';

/** A backup that is ready to be read, once. */
export interface Backup {
  manifest: Manifest;
  content: AsyncGenerator<Uint8Array>;
  /** Whether it was read or not: lets go of what was frozen. */
  release(): Promise<void>;
}

/**
 * Takes a backup of everything acknowledged until now, while ingest goes on. `folder` is for what is in the making. Memory is
 * bounded: telemetry is read from hard links, records page by page.
 */
export async function createBackup(options: {
  store: StoreBackup;
  records: Pick<Records<never>, 'schema' | 'dump'>;
  /** Brings everything acknowledged into the store. */
  flush(): Promise<void>;
  folder: string;
  version: string;
  clock: Clock;
}): Promise<Backup> {
  const { store, records, clock } = options;
  const id = newId('backup').replace(/[^0-9a-zA-Z]/g, '');
  const making = join(options.folder, `${id}${MAKING}`);
  await mkdir(making, { recursive: true });
  let frozen: Awaited<ReturnType<StoreBackup['freeze']>> | undefined;
  const release = async () => {
    await frozen?.release();
    await rm(making, { recursive: true, force: true });
  };
  try {
    await options.flush();
    frozen = await store.freeze(id);
    const recordsFile = join(making, RECORDS);
    await writeLines(recordsFile, records.dump());
    const files = [
      { path: RECORDS, source: recordsFile, bytes: (await stat(recordsFile)).size },
      ...frozen.files.map((file) => ({ ...file, path: TELEMETRY + file.path })),
    ];
    const manifest = newManifest({
      version: options.version,
      createdAt: formatTime(clock.now()),
      telemetrySchema: frozen.schema,
      recordsSchema: await records.schema(),
      tables: frozen.tables,
      files: files.length,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    });
    return { manifest, content: writeTar(entries(manifest, files)), release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Removes what backups of an earlier process, which was killed meanwhile, left in `folder`. */
export async function removeUnfinishedBackups(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const unfinished = (await readdir(folder)).filter((name) => name.endsWith(MAKING));
  await Promise.all(unfinished.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

interface SourceFile {
  path: string;
  source: string;
  bytes: number;
}

async function* entries(manifest: Manifest, files: readonly SourceFile[]): AsyncGenerator<TarEntry> {
  const checksums: Record<string, string> = {};
  const add = ({ path, bytes, content }: TarEntry): TarEntry => {
    const hash = createHash('sha256');
    return {
      path,
      bytes,
      content: (async function* () {
        for await (const piece of content) {
          hash.update(piece);
          yield piece;
        }
        checksums[path] = hash.digest('hex');
      })(),
    };
  };
  yield add(textEntry(MANIFEST, JSON.stringify(manifest, null, 1)));
  for (const { path, source, bytes } of files) {
    yield add({ path, bytes, content: createReadStream(source, { highWaterMark: 1024 * 1024 }) });
  }
  yield textEntry(CHECKSUMS, JSON.stringify(checksums));
}

function textEntry(path: string, text: string): TarEntry {
  const bytes = Buffer.from(text);
  return {
    path,
    bytes: bytes.length,
    content: (async function* () {
      yield bytes;
    })(),
  };
}

async function writeLines(path: string, lines: AsyncIterable<unknown>): Promise<void> {
  const file = await open(path, 'w');
  try {
    // Unlike `write`, it goes on after one that the disk took in part, and then fails if the disk is full.
    for await (const line of lines) await file.appendFile(`${JSON.stringify(line)}\n`);
  } finally {
    await file.close();
  }
}
