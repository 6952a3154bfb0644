import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';

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
 * What `new Worker` needs to run the entry in a thread of this process the way this process was started: bundle or source. In a
 * thread tsx does not register itself, so a line of code does.
 */
export function entryThread(entry: ChildEntry): { code: string | URL; options: WorkerOptions } {
  const root = projectRoot();
  if (!fileURLToPath(import.meta.url).endsWith('.ts')) {
    const execArgv = ['--enable-source-maps'];
    return { code: pathToFileURL(join(root, 'dist', `${entry.bundle}.js`)), options: { execArgv } };
  }
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(pathToFileURL(join(root, entry.source)).href);
  return {
    code: `import(${tsx}).then(({ register }) => { register(); return import(${source}); })`,
    options: { eval: true, execArgv: [] },
  };
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
