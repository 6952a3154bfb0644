import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import type { SampleBatch } from '../../model/index.ts';
import { createBatchEncoder } from '../encoding/encoder.ts';
import { seriesId } from '../encoding/series.ts';
import type { Store } from '../store.ts';
import { openEmbedded, temporaryFolder } from '../testing.ts';
import { insertLateSamples, newestSamples } from './late-samples.ts';
import { selectRows } from './rows.ts';

const limits = { seconds: 20, memoryBytes: 2 ** 29 };
const DAY_MS = 86_400_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let store: Store;
beforeAll(async () => {
  folder = await temporaryFolder();
  store = await openEmbedded(folder.path);
});
afterAll(() => store.close().then(folder.remove));

const encoder = createBatchEncoder(manualClock(0));
let files = 0;
/** Samples of series `pod` by time and value, in order. */
function batch(...samples: [pod: string, timeMs: number, value: number][]): SampleBatch {
  return {
    series: samples.map(([pod]) => ({ cluster: 'prod-eu', labels: ['__name__', 'late_metric', 'pod', pod] })),
    seriesOf: Uint32Array.from(samples, (_, i) => i),
    timesMs: Float64Array.from(samples, ([, timeMs]) => timeMs),
    values: Float64Array.from(samples, ([, , value]) => value),
  };
}
async function write(batches: { samples?: SampleBatch; lateSamples?: SampleBatch }) {
  let duplicates: Awaited<ReturnType<typeof insertLateSamples>>;
  for (const { table, block } of encoder.encode(batches).blocks) {
    const file = join(folder.path, `${files++}.native`);
    await writeFile(file, block);
    const insert = { table, file, token: file.replace(/\W/g, '.') };
    if (table !== 'samples_late') await store.port.insertSegment(insert, { limits });
    else {
      await insertLateSamples(store.port, insert, { limits });
      duplicates = await insertLateSamples(store.port, insert, { limits }); // as after a crash
    }
  }
  return duplicates;
}
const stored = async () => {
  const text = `SELECT s.labels['pod'] AS pod, toUnixTimestamp64Milli(ts) AS t, value FROM samples
JOIN (SELECT series_id, any(labels) AS labels FROM series GROUP BY series_id) AS s USING series_id ORDER BY pod, ts`;
  const rows = await selectRows(store.port, { text, params: {} }, { limits });
  return rows.map(({ pod, t, value }) => [pod, Number(t), value]);
};

test('of a series and time the first value stays, and what is dropped is counted with an example', async () => {
  const newest = (nowMs: number) => newestSamples(store.port, nowMs, { limits });
  expect(await newest(0)).toEqual({ newestMs: Number.NEGATIVE_INFINITY, ahead: [] });
  await write({ samples: batch(['a', 5000, 1], ['a', DAY_MS, 2], ['b', 5000, 3]) });
  expect(await newest(DAY_MS)).toEqual({ newestMs: DAY_MS, ahead: [] });
  const [a] = batch(['a', 0, 0]).series;
  if (a === undefined) throw new Error('a batch has a series');
  const { low, high } = seriesId(a);
  const ahead = [{ id: { low, high }, timeMs: DAY_MS }];
  expect(await newest(DAY_MS - 1)).toEqual({ newestMs: DAY_MS - 1, ahead });
  const late = batch(
    ['a', 4000, 7],
    ['a', 4000, 8],
    ['a', 5000, 1],
    ['a', DAY_MS, 9],
    ['b', DAY_MS - 1, 4],
    ['c', -5, 5],
  );
  const duplicates = await write({ lateSamples: late });
  expect(await stored()).toEqual([
    ['a', 4000, 7],
    ['a', 5000, 1],
    ['a', DAY_MS, 2],
    ['b', 5000, 3],
    ['b', DAY_MS - 1, 4],
    ['c', -5, 5],
  ]);
  expect(duplicates).toMatchObject({ count: 2, example: { metric: 'late_metric' } });
  expect(duplicates?.example.labels).toEqual(new Map([['pod', 'a']]));
  expect([8, 9]).toContain(duplicates?.example.dropped);
  expect(duplicates?.example.kept).toBe(duplicates?.example.dropped === 8 ? 7 : 2);
});

test('values are told apart by their bits', async () => {
  const nan = Float64Array.of(0);
  new BigUint64Array(nan.buffer)[0] = 0x7ff0_0000_0000_0002n; // a stale marker
  const stale = batch(['nan', 1000, 0]);
  stale.values = nan;
  await write({ samples: stale });
  expect(await write({ lateSamples: stale })).toBeUndefined();
  expect(await write({ lateSamples: batch(['nan', 1000, Number.NaN]) })).toMatchObject({ count: 1 });
  expect(await write({ lateSamples: batch(['zero', 1000, 0], ['zero', 1000, -0]) })).toMatchObject({ count: 1 });
});

test('nothing is left behind for queries to meet', async () => {
  const rows = await selectRows(store.port, { text: 'SELECT count() AS c FROM samples_late', params: {} }, { limits });
  expect(rows).toEqual([{ c: 0n }]);
});
