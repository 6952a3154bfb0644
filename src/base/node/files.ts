import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes created, renamed and deleted names in `folder` survive a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces `path` as one step: after a crash it holds the old content or the new, never a part. */
export async function writeFileDurably(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Appends and syncs. */
export async function appendDurably(path: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(path, 'a');
  try {
    await handle.appendFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
