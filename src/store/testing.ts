import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger, systemClock } from '../base/index.ts';
import type { Retention } from './clickhouse/retention.ts';
import { openStore, type Store } from './store.ts';

export const keepForever: Retention = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' };

/** A folder of its own for a test, and how to remove it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'trifocal-store-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The embedded engine on a folder, for tests. */
export function openEmbedded(folder: string, logger: Logger = silentLogger): Promise<Store> {
  return openStore({
    engine: { kind: 'embedded', folder, memoryBytes: 1024 ** 3 },
    retention: keepForever,
    clock: systemClock,
    logger,
  });
}
