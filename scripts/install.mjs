// Makes `npm start` and `npm test` work on a fresh clone. Uses nothing that has to be installed first.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed-lock');

/** Exits with one sentence when this Node is older than package.json allows. */
export function checkNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  fail(`Trifocal needs Node ${wanted} or newer; this is ${process.versions.node}.`);
}

/** Installs exactly what package-lock.json says, unless that is what is there. */
export async function ensureInstalled() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const total = Object.keys(JSON.parse(lock.toString()).packages).length;
  console.log(`Installing ${total} packages from the lock file (about 1 GB on disk, once) …`);
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    every: 3000,
    report: (seconds) => console.log(`  ${seconds} s, ${installedPackages()} packages unpacked`),
  });
  writeFileSync(stamp, wanted);
}

function installedPackages() {
  const folder = join(root, 'node_modules');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .reduce((sum, name) => sum + (name.startsWith('@') ? readdirSync(join(folder, name)).length : 1), 0);
}

/** Runs a program with its output shown; exits with its code when it fails. */
export async function run(command, args, options = {}) {
  const code = await runCode(command, args, options);
  if (code !== 0) fail(`${[command, ...args].join(' ')} failed with exit code ${code}.`);
}

export function runCode(command, args, { every, report, env } = {}) {
  const started = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const timer = every ? setInterval(() => report(Math.round((Date.now() - started) / 1000)), every) : undefined;
  return new Promise((resolve) => {
    child.on('error', (error) => {
      clearInterval(timer);
      console.error(error.message);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      clearInterval(timer);
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
