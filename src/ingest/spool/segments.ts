import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../base/node/index.ts';
import { readAppends } from './frames.ts';

const ENDING = '.segment';
const REFUSED = 'refused';

/** A file of appends that waits to be inserted. */
export interface Segment {
  /** Never given twice, not even by another process; the token of its inserts. */
  name: string;
  bytes: number;
  /** When its first append came, in ms since the epoch. */
  firstMs: number;
}

/** A segment that is being written. */
export interface OpenSegment extends Segment {
  file: FileHandle;
}

export async function createSegment(folder: string, nowMs: number): Promise<OpenSegment> {
  const name = `${Math.max(0, nowMs).toString(36).padStart(9, '0')}-${randomBytes(8).toString('hex')}`;
  const file = await open(join(folder, name + ENDING), 'wx');
  try {
    await syncFolder(folder);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { name, bytes: 0, firstMs: nowMs, file };
}

/** What earlier processes left, oldest first. Files made from segments are removed: they are made again. */
export async function findSegments(folder: string): Promise<Segment[]> {
  await mkdir(join(folder, REFUSED), { recursive: true });
  const segments: Segment[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    if (!entry.name.endsWith(ENDING)) {
      await unlink(path);
      continue;
    }
    const { size, mtimeMs } = await stat(path);
    segments.push({ name: entry.name.slice(0, -ENDING.length), bytes: size, firstMs: mtimeMs });
  }
  return segments;
}

/** Rows of one table in one segment, as a file that the store can insert. */
export interface TableFile {
  table: string;
  path: string;
}

/** Writes the blocks of each table into a file of their own. The same segment always gives the same files. */
export async function splitSegment(folder: string, segment: Segment): Promise<TableFile[]> {
  const written = await readFile(join(folder, segment.name + ENDING));
  const { frames } = readAppends(written.subarray(0, segment.bytes));
  const blocks = new Map<string, Buffer[]>();
  for (const frame of frames) {
    const list = blocks.get(frame.table);
    if (list) list.push(frame.block);
    else blocks.set(frame.table, [frame.block]);
  }
  const files: TableFile[] = [];
  for (const [table, list] of blocks) {
    const path = join(folder, `${segment.name}.${table}.native`);
    await writeFile(path, Buffer.concat(list));
    files.push({ table, path });
  }
  return files;
}

/** The segment's rows are in the store, or it has none that were acknowledged. */
export async function deleteSegment(folder: string, segment: Segment): Promise<void> {
  await unlink(join(folder, segment.name + ENDING));
}

/** Keeps rows that the store will never take where a person can find them. */
export async function setAside(folder: string, file: TableFile): Promise<string> {
  const kept = join(folder, REFUSED, file.path.slice(folder.length + 1));
  await rename(file.path, kept);
  return kept;
}

export async function deleteFile(file: TableFile): Promise<void> {
  await unlink(file.path);
}
