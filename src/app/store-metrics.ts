import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../base/index.ts';
import type { PartStats, Store } from '../store/index.ts';

/** How the tables are, as metrics: a number of parts that grows says that merges do not keep up. A store that is down has none. */
export function registerStoreMetrics(
  registry: Registry,
  store: Pick<Store, 'isUp' | 'partStats'>,
  logger: Logger,
): void {
  let reading: Promise<PartStats[]> | undefined;
  /** The gauges are collected at once and share one look at the store. */
  const read = () => {
    reading ??= readParts(store, logger).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const gauge = (
    name: string,
    help: string,
    values: (stats: PartStats) => { labels?: Record<string, string>; value: number }[],
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['table', 'state'],
      registers: [registry],
      async collect() {
        const tables = await read();
        this.reset();
        for (const stats of tables) {
          for (const { labels, value } of values(stats)) this.set({ table: stats.table, ...labels }, value);
        }
      },
    });
  gauge(
    'trifocal_store_parts',
    'Parts of the tables on disk; outdated ones were merged or dropped and go within a minute',
    ({ active, outdated }) => [
      { labels: { state: 'active' }, value: active },
      { labels: { state: 'outdated' }, value: outdated },
    ],
  );
  gauge('trifocal_store_merges', 'Merges and mutations that run now', ({ merges }) => [{ value: merges }]);
  gauge(
    'trifocal_store_outdated_bytes',
    'Bytes of parts that were merged or dropped and are not removed yet',
    (stats) => [{ value: stats.outdatedBytes }],
  );
}

async function readParts(store: Pick<Store, 'isUp' | 'partStats'>, logger: Logger): Promise<PartStats[]> {
  if (!store.isUp()) return [];
  try {
    return await store.partStats();
  } catch (error) {
    logger.warn({ error: String(error) }, 'the parts of tables cannot be counted');
    return [];
  }
}
