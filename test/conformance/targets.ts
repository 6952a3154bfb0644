import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createSpoolWriter, openSpool, type Spool, type SpoolWriter } from '../../src/ingest/index.ts';
import type { SignalBatch } from '../../src/model/index.ts';
import { createMemorySource, createPromqlEngine, openEmbeddedSource } from '../../src/query/index.ts';
import { openStore } from '../../src/store/index.ts';
import type { Target } from './run.ts';

/** Samples in memory; everything is evaluated by the engine itself. */
export function memoryTarget(): Target {
  const source = createMemorySource();
  return {
    // Prometheus runs its own scripts with this feature on.
    engine: createPromqlEngine({ source, clock: systemClock, delayNames: true }),
    async load({ samples, histograms }) {
      if (samples) source.add(samples);
      if (histograms) source.addHistograms(histograms);
    },
    clear: async () => source.clear(),
  };
}

export interface StoreTarget extends Target {
  /** The same without pushdown: everything but the reading of samples is done by the engine itself. */
  plain: Target;
  close(): Promise<void>;
}

/** The embedded store in a folder of its own, filled through the spool as every sample is. */
export async function storeTarget(): Promise<StoreTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'trifocal-conformance-'));
  const forever = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
  const store = await openStore({
    engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 1024 ** 3 },
    retention: forever,
    clock: systemClock,
    logger: silentLogger,
  });
  let spool: Spool | undefined;
  let writer: SpoolWriter | undefined;
  let spools = 0;
  const endSpool = async () => {
    await spool?.close();
    spool = undefined;
    writer = undefined;
  };
  const engineOver = async (pushdown: boolean) =>
    createPromqlEngine({
      source: await openEmbeddedSource({ port: store.port, pushdown }),
      clock: systemClock,
      delayNames: true,
    });
  const loading = {
    async load(batch: SignalBatch) {
      const options = {
        folder: join(folder, `spool-${spools++}`),
        store,
        maxBytes: 1024 ** 3,
        clock: systemClock,
        logger: silentLogger,
      };
      spool ??= await openSpool(options);
      writer ??= createSpoolWriter(spool.append, systemClock);
      await writer.append(batch);
      await spool.flush();
    },
    async clear() {
      // A spool knows which series it has introduced already, so emptied tables need a new one.
      await endSpool();
      for (const table of ['series', 'samples', 'histograms']) {
        const text = `TRUNCATE TABLE ${table}`;
        await store.port.run({ text, params: {} }, { limits: { seconds: 10, memoryBytes: 1024 ** 3 } });
      }
    },
  };
  return {
    engine: await engineOver(true),
    plain: { engine: await engineOver(false), ...loading },
    ...loading,
    async close() {
      await endSpool();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
