import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Another live process holds the folder. */
export class FolderLockedError extends Error {
  override name = 'FolderLockedError';
  readonly folder: string;
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(`${folder} is in use by process ${pid}`);
    this.folder = folder;
    this.pid = pid;
  }
}

export interface FolderLock {
  release(): void;
}

/**
 * Takes `folder/lock` for this process. The file holds the process id and that process' start time, so a lock left
 * by a killed process, even one whose id was given away again, is recognised as stale and taken over.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock');
  const mine = `${process.pid} ${await startTime(process.pid)}\n`;
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      const file = openSync(path, 'wx');
      writeSync(file, mine);
      closeSync(file);
      return { release: () => releaseIfMine(path, mine) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Node's fs errors carry a code
    }
    const holder = readLock(path);
    const [pid, started] = holder.trim().split(' ');
    if (started && (await startTime(Number(pid))) === started) throw new FolderLockedError(folder, Number(pid));
    removeIfUnchanged(path, holder);
  }
  throw new Error(`could not take ${path}`);
}

function readLock(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // released in this moment
  }
}

function removeIfUnchanged(path: string, content: string): void {
  try {
    if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  } catch {
    // somebody else removed it first
  }
}

function releaseIfMine(path: string, mine: string): void {
  try {
    if (readFileSync(path, 'utf8') === mine) unlinkSync(path);
  } catch {
    // already gone
  }
}

/** When the process began, in a form that only compares: kernel ticks on Linux, "alive" elsewhere; empty if it is gone. */
async function startTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing: it only waits for its parent to ask how it ended.
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    if (process.platform === 'linux') return '';
  }
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch {
    return '';
  }
}
