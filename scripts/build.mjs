// Builds what changed: the server's programs with esbuild, the web UI with Vite.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode, ensureInstalled, root, run } from './install.mjs';

const PROGRAMS = {
  trifocal: 'src/app/main.ts',
  engine: 'src/store/engine/child.ts',
  ingest: 'src/ingest/thread/main.ts',
  simulator: 'src/simulator/main.ts',
};

export async function build() {
  await unlessUnchanged('server', ['src'], ['package-lock.json', 'scripts/build.mjs'], buildServer);
  await unlessUnchanged(
    'web',
    ['src/web', 'src/api/contract', 'src/model', 'src/base'],
    ['package-lock.json', 'scripts/build.mjs'],
    buildWeb,
  );
}

async function buildServer() {
  const { build: bundle } = await import('esbuild');
  console.log('Building the server …');
  await bundle({
    absWorkingDir: root,
    entryPoints: PROGRAMS,
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
}

async function buildWeb() {
  console.log('Building the web UI …');
  await run(process.execPath, [
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    '--config',
    'src/web/vite.config.ts',
    '--logLevel',
    'warn',
  ]);
}

async function unlessUnchanged(name, folders, files, work) {
  const stamp = join(root, 'dist', `.${name}-built-from`);
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const file of [...folders.flatMap(filesOf), ...files]) hash.update(file).update(readFileSync(join(root, file)));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  await work();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, wanted);
}

function filesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .filter((file) => !file.includes('testdata') && !/\.test\.tsx?$/.test(file))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  checkNode();
  await ensureInstalled();
  await build();
}
