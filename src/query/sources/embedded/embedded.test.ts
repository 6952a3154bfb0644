import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../../base/index.ts';
import {
  everything,
  labelSetFrom,
  type NativeHistogram,
  type SignalBatch,
  staleHistogram,
} from '../../../model/index.ts';
import { createBatchEncoder, openStore, type Store } from '../../../store/index.ts';
import type { MetricSource } from '../contract.ts';
import { describeMetricSource } from '../contract-suite.ts';
import { openEmbeddedSource } from './index.ts';

let folder: string;
let store: Store;
let source: MetricSource | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-source-'));
  const keep = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
  const engine = { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 1024 ** 3 } as const;
  store = await openStore({ engine, retention: keep, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describeMetricSource(async (batch) => {
  source ??= await filled(batch);
  return source;
});

test('metadata as it was sent', async () => {
  const opened = source ?? (await openEmbeddedSource({ port: store.port }));
  await insert({ metadata: [{ family: 'load', type: 'gauge', help: "it's the load", unit: '' }] });
  const read = { limits: { seconds: 10, memoryBytes: 1024 ** 3, series: 100, samples: 100 } };
  expect(await opened.metadata({ scope: everything }, read)).toEqual([
    { family: 'load', type: 'gauge', help: "it's the load", unit: '' },
  ]);
  expect(await opened.metadata({ family: 'other', scope: everything }, read)).toEqual([]);
});

test('of several histograms of one time it is always the same one, whatever came first', async () => {
  const opened = source ?? (await openEmbeddedSource({ port: store.port }));
  const small: NativeHistogram = { ...staleHistogram, stale: false, count: 2, sum: 1, zeroCount: 2 };
  const large: NativeHistogram = { ...small, count: 3, zeroCount: 3 };
  const wide: NativeHistogram = { ...large, zeroThreshold: 0.5 };
  const orders = [
    [small, large, wide],
    [wide, large, small],
    [large, small, wide],
  ];
  const series = orders.map((_, i) => ({ labels: labelSetFrom({ __name__: 'thrice', pod: `${i}` }), cluster: 'eu' }));
  for (const place of [0, 1, 2]) {
    const values = orders.map((order) => order[place] ?? small);
    await insert({
      histograms: { series, seriesOf: Uint32Array.of(0, 1, 2), timesMs: new Float64Array(3).fill(5), values },
    });
  }
  const matchers = [{ name: '__name__', op: '=', value: 'thrice' } as const];
  const request = { matchers, afterMs: 0, throughMs: 60_000, scope: everything };
  const read = { limits: { seconds: 10, memoryBytes: 1024 ** 3, series: 100, samples: 100 } };
  const { histograms = [] } = await opened.samples(request, read);
  expect(histograms).toHaveLength(3);
  expect(histograms[0]?.count).toBe(3);
  expect(new Set(histograms.map((one) => JSON.stringify(one))).size).toBe(1);
});

let inserts = 0;
async function filled(batch: SignalBatch): Promise<MetricSource> {
  await insert(batch);
  return openEmbeddedSource({ port: store.port });
}

async function insert(batch: SignalBatch): Promise<void> {
  for (const { table, block } of createBatchEncoder(systemClock).encode(batch).blocks) {
    const file = join(folder, `${table}.native`);
    await writeFile(file, block);
    await store.port.insertSegment(
      { table, file, token: `test-${inserts++}-${table}` },
      { limits: { seconds: 30, memoryBytes: 1024 ** 3 } },
    );
  }
}
