import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../base/node/index.ts';
import { type Appends, readAppends } from './frames.ts';
import { JOURNAL } from './request-journal.ts';

const ENDING = '.segment';

/** A file of appends that waits to be inserted. */
export interface Segment {
  /** Never given twice, not even by another process; the token of its inserts. */
  name: string;
  /** Of its whole appends; what the file holds beyond them was never acknowledged. */
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
  const file = await open(segmentPath(folder, { name }), 'wx');
  try {
    await syncFolder(folder);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { name, bytes: 0, firstMs: nowMs, file };
}

/**
 * What earlier processes left, oldest first. Files made from segments are removed: they are made again. The newest was being
 * written when its process ended: its torn tail was never acknowledged and is cut off.
 */
export async function findSegments(folder: string): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isFile() || entry.name === JOURNAL) continue;
    const path = join(folder, entry.name);
    if (!entry.name.endsWith(ENDING)) {
      await unlink(path);
      continue;
    }
    const { size, mtimeMs } = await stat(path);
    segments.push({ name: entry.name.slice(0, -ENDING.length), bytes: size, firstMs: mtimeMs });
  }
  const newest = segments.at(-1);
  if (newest) newest.bytes = await cutTornTail(segmentPath(folder, newest), newest.bytes);
  return segments;
}

/** Returns how many bytes are left: all, if the file cannot be read or cut now. */
async function cutTornTail(path: string, size: number): Promise<number> {
  try {
    const { bytes } = readAppends(await readFile(path));
    if (bytes < size) await truncate(path, bytes);
    return bytes;
  } catch {
    return size; // whoever loads it meets the same trouble and tells
  }
}

/** Removes durably what the file holds beyond its whole appends; the file, if it has none. */
export async function cutSegment(folder: string, segment: Segment): Promise<void> {
  if (segment.bytes === 0) return await deleteSegment(folder, segment);
  let file: FileHandle;
  try {
    file = await open(segmentPath(folder, segment), 'r+');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return; // loaded and deleted meanwhile
    throw error;
  }
  try {
    await file.truncate(segment.bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Rows of one table in one segment, as a file that the store can insert. */
export interface TableFile {
  table: string;
  path: string;
}

/** The disk does not give back what was written. */
export class UnreadableSegment extends Error {
  override name = 'UnreadableSegment';
}

/** What a segment holds; `damaged` is what follows its last append that is as it was written, undefined when all are. */
export interface SegmentContent extends Appends {
  damaged: Buffer | undefined;
}

/** Throws UnreadableSegment. */
export async function readSegment(folder: string, segment: Segment): Promise<SegmentContent> {
  const written = await readFile(segmentPath(folder, segment)).catch((error) => {
    throw new UnreadableSegment(String(error), { cause: error });
  });
  const appends = readAppends(written.subarray(0, segment.bytes));
  return { ...appends, damaged: appends.bytes < segment.bytes ? written.subarray(appends.bytes) : undefined };
}

/** Writes the blocks of each table into a file of their own. The same segment always gives the same files. */
export async function splitSegment(
  folder: string,
  segment: Segment,
  { frames }: Pick<SegmentContent, 'frames'>,
): Promise<TableFile[]> {
  const blocks = new Map<string, Buffer[]>();
  for (const frame of frames) {
    const list = blocks.get(frame.table);
    if (list) list.push(frame.block);
    else blocks.set(frame.table, [frame.block]);
  }
  const files: TableFile[] = [];
  for (const [table, list] of blocks) {
    const path = join(folder, `${segment.name}.${table}.native`);
    await writeBlocks(path, list);
    files.push({ table, path });
  }
  return files;
}

/** Not synced: it can be made again from its segment. */
async function writeBlocks(path: string, blocks: readonly Buffer[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    await writeAll(file, blocks);
  } finally {
    await file.close();
  }
}

/** Writes the pieces one after the other. Throws when the disk takes only a part of them. */
export async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<number> {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { bytesWritten } = await file.writev([...pieces]);
  if (bytesWritten < total) throw new Error(`the disk took ${bytesWritten} of ${total} bytes`);
  return total;
}

export function segmentPath(folder: string, segment: Pick<Segment, 'name'>): string {
  return join(folder, segment.name + ENDING);
}

/** The segment's rows are in the store or in `refused/`, or it has none that were acknowledged. */
export async function deleteSegment(folder: string, segment: Segment): Promise<void> {
  await rm(segmentPath(folder, segment), { force: true });
}

export async function deleteFile(file: TableFile): Promise<void> {
  await rm(file.path, { force: true });
}
