import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { registerStoreMetrics } from './store-metrics.ts';

test('parts of tables are one look at the store each scrape, and gone while it is down or fails', async () => {
  const registry = new Registry();
  let up = true;
  let looks = 0;
  const stats = [{ table: 'samples', active: 7, outdated: 2, outdatedBytes: 99, merges: 1 }];
  const store = {
    isUp: () => up,
    async partStats() {
      looks++;
      if (looks === 2) throw new Error('too slow');
      return stats;
    },
  };
  registerStoreMetrics(registry, store, silentLogger);
  const samples = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('trifocal_'));
  const all = [
    'trifocal_store_parts{table="samples",state="active"} 7',
    'trifocal_store_parts{table="samples",state="outdated"} 2',
    'trifocal_store_merges{table="samples"} 1',
    'trifocal_store_outdated_bytes{table="samples"} 99',
  ];
  expect(await samples()).toEqual(all);
  expect(looks).toBe(1);
  expect(await samples()).toEqual([]);
  expect(await samples()).toEqual(all);
  up = false;
  expect(await samples()).toEqual([]);
  expect(looks).toBe(3);
});
