import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { entryCommand } from '../../base/node/index.ts';
import { openStore } from '../../store/index.ts';
import { openSpool } from './spool.ts';
import { findBatches } from './testing.ts';

export type CrashVictim = 'owner' | 'engine' | 'inserted';

/**
 * Kills, again and again in the middle of ingest, the process that owns store and spool (`owner`; `inserted`: right after an
 * insert, before its segment is deleted) or only the engine under it, and then expects each acknowledged row in the store
 * exactly once. Says how much was acknowledged.
 */
export async function surviveKills(victims: readonly CrashVictim[]): Promise<{ acknowledged: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'trifocal-crash-'));
  const acknowledged = new Set<number>();
  let owner: Owner | undefined;
  try {
    for (const victim of victims) {
      owner ??= startOwner(folder, acknowledged);
      await owner.moreAcknowledged(20 + Math.floor(Math.random() * 100));
      if (victim !== 'engine') {
        await (victim === 'owner' ? owner.kill() : owner.dieOnceInserted());
        owner = undefined;
      } else {
        await owner.killEngine();
        await owner.moreAcknowledged(20);
      }
    }
    await owner?.kill();
    await expectEachOnce(folder, acknowledged);
    return { acknowledged: acknowledged.size };
  } finally {
    await owner?.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Owner {
  /** Resolves when so many more batches were acknowledged. */
  moreAcknowledged(count: number): Promise<void>;
  kill(): Promise<void>;
  /** Resolves when it has killed itself. */
  dieOnceInserted(): Promise<void>;
  killEngine(): Promise<void>;
}

function startOwner(folder: string, acknowledged: Set<number>): Owner {
  const from = Math.max(-1, ...acknowledged) + 1000;
  const entry = entryCommand({ bundle: 'none', source: 'src/ingest/spool/crash-owner.ts' });
  const child = spawn(process.execPath, [...entry, folder, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the owner ended with ${signal ?? code}`)));
  });
  ended.catch(() => {}); // whoever waits for acknowledgements is told
  const watchers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    acknowledged.add(Number(line));
    for (const watcher of watchers) watcher();
  });
  return {
    moreAcknowledged(count) {
      const goal = acknowledged.size + count;
      const reached = new Promise<void>((resolve) => {
        const check = () => {
          if (acknowledged.size < goal) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
      });
      return Promise.race([reached, ended]);
    },
    kill: () => killAndWait(child, 'SIGKILL'),
    dieOnceInserted: () => killAndWait(child, 'SIGUSR2'),
    async killEngine() {
      const engine = await childOf(child.pid ?? 0);
      process.kill(engine, 'SIGKILL');
    },
  };
}

/** The only child of a process; waits for one, since it may be starting again just now. */
async function childOf(parent: number): Promise<number> {
  for (;;) {
    // pgrep fails when it finds none
    const found = await promisify(execFile)('pgrep', ['-P', String(parent)]).catch(() => undefined);
    const pid = Number(found?.stdout.trim().split('\n')[0]);
    if (pid > 0) return pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function killAndWait(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve)); // after its last line was read
  child.kill(signal);
  await closed;
}

async function expectEachOnce(folder: string, acknowledged: ReadonlySet<number>): Promise<void> {
  const clock = systemClock;
  const logger = silentLogger;
  const store = await openStore({
    engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 2 ** 30 },
    retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
    clock,
    logger,
  });
  const spool = await openSpool({ folder: join(folder, 'spool'), store, maxBytes: 2 ** 30, clock, logger });
  await spool.ready;
  const { whole, duplicates } = await findBatches(store.port);
  const refused = spool.stats().refused;
  await spool.close();
  await store.close();
  expect([...acknowledged].filter((number) => !whole.has(number))).toEqual([]);
  expect({ duplicates, refused }).toEqual({ duplicates: 0, refused: 0 });
}
