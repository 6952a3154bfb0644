import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock, Logger } from '../../base/index.ts';
import { FolderLockedError, lockFolder, syncFolder } from '../../base/node/index.ts';
import { openFreshEngine, openRecords, type Records, type StoreBackup } from '../../store/index.ts';
import { BackupError, type Manifest } from './manifest.ts';
import { checkBackup, unpackBackup } from './read.ts';

export interface Restored {
  manifest: Manifest;
  /** Where an earlier content of the data folder is now. */
  keptAt?: string;
}

const ENGINE_BYTES = 1024 ** 3;

/**
 * Makes a data folder of a backup, for a server that does not run. The folder is built beside and takes its place in one
 * step; one that holds something is refused, or with `replace` kept under another name. Throws BackupError.
 */
export async function restoreFolder(options: {
  file: string;
  data: string;
  replace: boolean;
  version: string;
  clock: Clock;
  logger: Logger;
}): Promise<Restored> {
  const { file, clock, logger } = options;
  const target = resolve(options.data);
  const occupied = existsSync(target) && readdirSync(target).length > 0;
  if (occupied && !options.replace) {
    const holds = readdirSync(target).slice(0, 3).join(', ');
    throw new BackupError(
      `The data folder ${target} is not empty (${holds}); restore into an empty one, or add --replace, which keeps what is there beside it.`,
    );
  }
  if (occupied) (await lockUnlessRunning(target)).release();
  const manifest = await checkBackup(file, options.version);
  const building = `${target}.restoring`;
  await rm(building, { recursive: true, force: true });
  const engineFolder = join(building, 'engine');
  const recordsFolder = join(building, 'records');
  for (const folder of [engineFolder, recordsFolder]) await mkdir(folder, { recursive: true });
  try {
    const records = await openRecords<never>({ folder: recordsFolder, schema: manifest.recordsSchema });
    try {
      const engine = await openFreshEngine({
        folder: engineFolder,
        memoryBytes: ENGINE_BYTES,
        schema: manifest.telemetrySchema,
        clock,
        logger,
      });
      try {
        await unpackBackup(file, { place: engine.place, restoreRecords: records.restore });
        compareRows(manifest, await engine.attach());
      } finally {
        await engine.close();
      }
    } finally {
      await records.close();
    }
    const keptAt = await takePlace({ building, target, occupied, now: clock.now() });
    return { manifest, ...(keptAt === undefined ? {} : { keptAt }) };
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

async function takePlace(options: { building: string; target: string; occupied: boolean; now: number }) {
  const { building, target, occupied } = options;
  let keptAt: string | undefined;
  if (occupied) {
    (await lockUnlessRunning(target)).release();
    keptAt = `${target}.before-${new Date(options.now).toISOString().replace(/[:.]/g, '-')}`;
    await rename(target, keptAt);
  } else if (existsSync(target)) await rmdir(target);
  await rename(building, target);
  await syncFolder(dirname(target));
  return keptAt;
}

async function lockUnlessRunning(folder: string) {
  try {
    return await lockFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderLockedError)) throw error;
    throw new BackupError(
      `The data folder ${folder} is in use by a running Trifocal (process ${error.pid}); stop it first, or restore into another folder.`,
    );
  }
}

/** Of others, merges make one row of several that say the same. */
const NEVER_MERGED: ReadonlySet<string> = new Set(['samples', 'logs', 'spans', 'histograms', 'exemplars']);

function compareRows(manifest: Manifest, found: ReadonlyMap<string, number>): void {
  for (const { name, rows } of manifest.tables) {
    const count = found.get(name) ?? 0;
    if (NEVER_MERGED.has(name) ? count !== rows : count > rows || (count === 0 && rows > 0))
      throw new BackupError(`The table ${name} has ${count} rows after the restore instead of ${rows}.`);
  }
}

/**
 * Adds a backup to the tables and records of a running server. One that holds telemetry already is refused unless `add`:
 * what is in both is there twice then, as after a sender's retry, and queries treat it as one. Throws BackupError.
 */
export async function restoreInto(options: {
  file: string;
  add: boolean;
  store: StoreBackup;
  records: Pick<Records<never>, 'restore' | 'schema'>;
  schema: number;
  version: string;
}): Promise<Manifest> {
  const { file, store, records } = options;
  const held = [...(await store.countRows())].filter(([, rows]) => rows > 0);
  if (held.length > 0 && !options.add) {
    const words = held.map(([table, rows]) => `${rows} ${table}`).join(', ');
    throw new BackupError(
      `This server holds data already (${words}); ask for the backup to be added to it with --add, or restore into an empty folder.`,
    );
  }
  const manifest = await checkBackup(file, options.version);
  if (manifest.telemetrySchema !== options.schema || manifest.recordsSchema !== (await records.schema())) {
    throw new BackupError(
      `The backup ${file} has an older schema (made by Trifocal ${manifest.version}); restore it into a folder of its own with --data, which is brought up to date at its first start.`,
    );
  }
  const restore = await store.restore();
  try {
    await unpackBackup(file, { place: restore.place, restoreRecords: records.restore });
    await restore.attach();
  } catch (error) {
    const { attached } = await restore.discard();
    if (attached === 0) throw error;
    // The engine has given them names of their own and may have merged them with others, so they cannot be taken out again.
    const why = error instanceof Error ? error.message : String(error);
    throw new BackupError(
      `The restore of ${file} broke off (${why}). ${attached} parts of it were added already and stay; the same restore with --add brings the rest, and queries treat what is there twice as one.`,
      { cause: error },
    );
  }
  return manifest;
}
