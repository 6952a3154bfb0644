import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { statusResponse, telemetryResponse } from '../../api/contract/index.ts';
import type { DataFacts, Facts } from './judge.ts';

const PATIENCE_MS = 5_000;

/** Looks at the server and at the data folder, as far as they can be reached from here. Changes nothing. */
export async function collectFacts(options: { server: string; data: string; version: string }): Promise<Facts> {
  const answer = await askServer(options.server);
  return {
    version: options.version,
    server: options.server,
    answer,
    nowMs: Date.now(),
    ports: answer.kind === 'none' ? await lookAtPorts() : [],
    data: lookAtData(options.data),
  };
}

async function askServer(server: string): Promise<Facts['answer']> {
  const get = (path: string) => fetch(new URL(path, server), { signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    const began = performance.now();
    const response = await get('/api/status');
    const rttMs = performance.now() - began;
    const status = statusResponse.safeParse(await response.json().catch(() => undefined));
    if (!status.success) return { kind: 'other', words: `it answered ${response.status} to /api/status` };
    const telemetry = telemetryResponse.parse(await (await get('/api/telemetry')).json());
    const ready = z
      .object({ waiting: z.array(z.string()) })
      .safeParse(await (await get('/readyz')).json().catch(() => undefined));
    return {
      kind: 'trifocal',
      status: status.data,
      telemetry,
      waiting: ready.success ? ready.data.waiting : [],
      rttMs,
    };
  } catch (error) {
    if (error instanceof z.ZodError)
      return { kind: 'other', words: 'it is of a version that this command does not know' };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    return { kind: 'none', words: code || (cause instanceof Error ? cause.message : String(cause)) };
  }
}

const PORTS = [
  { port: 4317, use: 'OTLP gRPC' },
  { port: 4318, use: 'OTLP HTTP' },
  { port: 4319, use: 'UI and APIs' },
];

function lookAtPorts(): Promise<Facts['ports']> {
  return Promise.all(
    PORTS.map(async ({ port, use }) => {
      const open = await new Promise<boolean>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
        const answer = (is: boolean) => () => {
          socket.destroy();
          resolve(is);
        };
        socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false));
      });
      return { port, use, open };
    }),
  );
}

function lookAtData(folder: string): DataFacts {
  const path = resolve(folder);
  const exists = existsSync(path);
  const space = exists ? statfsSync(path) : undefined;
  return {
    path,
    exists,
    lock: readLock(join(path, 'lock')),
    freeBytes: space && space.bavail * space.bsize,
    diskBytes: space && space.blocks * space.bsize,
    spoolBytes: sizeOf(join(path, 'spool')),
    refusedFiles: list(join(path, 'spool/refused')).length,
    writable: exists && may(path, constants.W_OK),
  };
}

/** The lock holds the process id and, where the system tells, when that process began. */
function readLock(path: string): DataFacts['lock'] {
  if (!existsSync(path)) return undefined;
  const [pid = ''] = readFileSync(path, 'utf8').trim().split(' ');
  if (!/^\d+$/.test(pid)) return undefined;
  try {
    process.kill(Number(pid), 0);
    return { pid: Number(pid), alive: true };
  } catch (error) {
    const other = error instanceof Error && 'code' in error && error.code === 'EPERM'; // it is there, of another user
    return { pid: Number(pid), alive: other };
  }
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function sizeOf(folder: string): number {
  return list(folder).reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false }); // the server may have removed it meanwhile
    return sum + (stat?.isFile() ? stat.size : 0);
  }, 0);
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
