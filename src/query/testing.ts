import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, silentLogger, systemClock } from '../base/index.ts';
import type { SignalBatch } from '../model/index.ts';
import { createBatchEncoder, openStore, type Store } from '../store/index.ts';

export interface TestStore {
  store: Store;
  insert(batch: SignalBatch): Promise<void>;
  close(): Promise<void>;
}

/** The real embedded engine on a folder of its own, filled without receivers and spool. */
export async function openTestStore(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'trifocal-query-'));
  const store = await openStore({
    engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 1024 ** 3 },
    retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
    clock: systemClock,
    logger: silentLogger,
  });
  const encoder = createBatchEncoder(systemClock);
  return {
    store,
    async insert(batch) {
      const encoded = encoder.encode(batch);
      for (const { table, block } of encoded.blocks) {
        const token = newId('seg');
        const file = join(folder, token);
        await writeFile(file, block);
        await store.port.insertSegment({ table, file, token }, { limits: { seconds: 30, memoryBytes: 1024 ** 3 } });
      }
      encoded.stored();
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
