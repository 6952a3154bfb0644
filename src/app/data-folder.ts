import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type FolderLock, FolderLockedError, lockFolder } from '../base/node/index.ts';

export interface DataFolder {
  path: string;
  engine: string;
  records: string;
  spool: string;
  lock: FolderLock;
}

/** The server can't start; the message is one sentence for the person who started it. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Makes the data folder and takes its lock, before anything in it is opened. Throws StartError. */
export async function openDataFolder(configured: string): Promise<DataFolder> {
  const path = resolve(configured);
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.R_OK | constants.X_OK);
    const lock = await lockFolder(path);
    const folder = {
      path,
      engine: join(path, 'engine'),
      records: join(path, 'records'),
      spool: join(path, 'spool'),
      lock,
    };
    for (const part of [folder.engine, folder.records, folder.spool]) mkdirSync(part, { recursive: true });
    return folder;
  } catch (error) {
    if (error instanceof FolderLockedError) {
      throw new StartError(
        `The data folder ${path} is in use by another Trifocal (process ${error.pid}); stop that one or start with --data and another folder.`,
      );
    }
    throw new StartError(
      `The data folder ${path} can't be used (${reason(error)}); make it writable or start with --data and another folder.`,
    );
  }
}

/** `mkdir -p`; Node's own recursive form never returns where a file system takes no folders, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw Object.assign(new Error('it is a file'), { code: 'EEXIST' });
    return;
  }
  makeFolder(dirname(path));
  mkdirSync(path);
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    {
      EACCES: 'no permission',
      EROFS: 'read-only file system',
      ENOSPC: 'disk full',
      ENOTDIR: 'part of the path is a file',
      EEXIST: 'it or part of the path is a file',
      ENOENT: 'no folder can be made there',
    }[code] ?? String(error)
  );
}
