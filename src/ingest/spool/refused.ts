import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../base/index.ts';

/** Acknowledged rows that will never be in the store by themselves, where a person can find them. */
export interface RefusedFolder {
  /** Files that lie there now, those of earlier processes included. */
  count(): number;
  /** Moves a file there; returns its new path. */
  move(path: string, name: string): Promise<string>;
  /** Writes a file there; returns its path. */
  write(name: string, rows: Uint8Array): Promise<string>;
}

/** Opens `refused/` in `folder`. Beyond `maxBytes` the oldest files are dropped, but never the newest. */
export async function openRefusedFolder(options: {
  folder: string;
  maxBytes: number;
  logger: Logger;
}): Promise<RefusedFolder> {
  const path = join(options.folder, 'refused');
  await mkdir(path, { recursive: true });
  /** Bytes by name, oldest first. */
  const files = new Map<string, number>();
  for (const { name, size } of await list(path)) files.set(name, size);

  const dropOldest = async () => {
    let total = [...files.values()].reduce((sum, size) => sum + size, 0);
    for (const [name, size] of [...files].slice(0, -1)) {
      if (total <= options.maxBytes) return;
      await rm(join(path, name), { force: true });
      files.delete(name);
      total -= size;
      options.logger.error(
        { file: name, bytes: size },
        'too many refused rows are kept; the oldest were dropped for good',
      );
    }
  };
  const took = async (name: string) => {
    files.delete(name);
    files.set(name, (await stat(join(path, name))).size);
    await dropOldest();
    return join(path, name);
  };
  await dropOldest();

  return {
    count: () => files.size,
    async move(from, name) {
      await rename(from, join(path, name));
      return await took(name);
    },
    async write(name, rows) {
      await writeFile(join(path, name), rows, { flush: true });
      return await took(name);
    },
  };
}

async function list(path: string): Promise<{ name: string; size: number }[]> {
  const names = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = await Promise.all(
    names.map(async ({ name }) => {
      const { size, mtimeMs } = await stat(join(path, name));
      return { name, size, mtimeMs };
    }),
  );
  return files.sort((a, b) => a.mtimeMs - b.mtimeMs);
}
