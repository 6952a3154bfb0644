import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program that a test started; `stop` ends it by its own process id and waits until it is gone. */
export interface RunningProgram {
  pid: number;
  /** What it printed so far. */
  output(): string;
  exited: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export function startProgram(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): RunningProgram {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-200_000);
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => resolve(code));
    child.on('error', (error) => {
      output += String(error);
      resolve(null);
    });
  });
  return { pid: pidOf(child), output: () => output, exited, stop: (signal = 'SIGTERM') => stop(child, exited, signal) };
}

function pidOf(child: ChildProcess): number {
  return child.pid ?? -1;
}

async function stop(child: ChildProcess, exited: Promise<unknown>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await exited;
  clearTimeout(timer);
}

/** Tries until `probe` gives something other than undefined or throws no more; fails with what was awaited. */
export async function waitFor<T>(what: string, probe: () => Promise<T | undefined>, seconds = 60): Promise<T> {
  const until = performance.now() + seconds * 1000;
  let last: unknown;
  while (performance.now() < until) {
    try {
      const value = await probe();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited ${seconds} s in vain for ${what}`, { cause: last });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A fresh folder and how to remove it. */
export function temporaryFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `trifocal-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** CPU seconds (user and system) that a process and its living descendants have used. */
export function cpuSeconds(pid: number): number {
  const statFile = `/proc/${pid}/stat`;
  if (!existsSync(statFile)) return 0;
  const stat = readFileSync(statFile, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return ticks / 100 + children.reduce((sum, child) => sum + cpuSeconds(child), 0);
}

/** Memory that a process and its living descendants hold, in bytes. */
export function residentBytes(pid: number): number {
  return [pid, ...descendants(pid)].reduce((sum, one) => {
    try {
      return sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    } catch {
      return sum; // ended meanwhile
    }
  }, 0);
}

function descendants(pid: number): number[] {
  if (!existsSync(`/proc/${pid}/task`)) return [];
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Bytes of all files below a folder; what is being removed meanwhile counts or not. */
export function folderBytes(folder: string): number {
  const sizeOf = (path: string): number => {
    try {
      const stats = statSync(path);
      if (!stats.isDirectory()) return stats.size;
      return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
    } catch {
      return 0; // gone
    }
  };
  return sizeOf(folder);
}
