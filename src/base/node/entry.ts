import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program of this project that runs in its own process. */
export interface ChildEntry {
  /** Name of the bundle in `dist/`, without `.js`. */
  bundle: string;
  /** Source file from the project's root, run through tsx when no bundle is running. */
  source: string;
}

/** The project's root: the nearest folder above this file with a package.json. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the running file');
    folder = parent;
  }
  return folder;
}

/**
 * Arguments for `process.execPath` that start the entry the way this process was started:
 * the bundle beside a running bundle, the TypeScript source (through tsx) otherwise.
 */
export function entryCommand(entry: ChildEntry): string[] {
  const here = fileURLToPath(import.meta.url);
  const root = projectRoot();
  if (here.endsWith('.ts')) return ['--import', import.meta.resolve('tsx'), join(root, entry.source)];
  return ['--enable-source-maps', join(root, 'dist', `${entry.bundle}.js`)];
}
