import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Logger } from '../base/index.ts';
import type { LoopDelay } from '../base/node/index.ts';
import type { Parts } from './parts.ts';
import { registerStoreMetrics } from './store-metrics.ts';

/** Trifocal's own metrics: those of ingest, and the state of spool, store and event loop at the moment of the scrape. */
export function createOwnMetrics(
  parts: Parts,
  loops: Readonly<Record<string, () => Promise<LoopDelay>>>,
  logger: Logger,
): () => Promise<{ contentType: string; text: string }> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await value());
      },
    });
  gauge('trifocal_spool_bytes', 'Bytes that wait on disk for the store', () => parts.spool.stats().bytes);
  gauge(
    'trifocal_spool_oldest_seconds',
    'Age of the oldest batch that waits for the store',
    () => parts.spool.stats().oldestSeconds,
  );
  gauge(
    'trifocal_spool_refused',
    'Files of acknowledged rows that the store refused or the disk damaged, kept in spool/refused',
    () => parts.spool.stats().refused,
  );
  gauge('trifocal_store_up', '1 when the telemetry store answers', () => (parts.store.isUp() ? 1 : 0));
  gauge('trifocal_active_series', 'Series that had samples lately', () =>
    parts.ingest.activeSeries().catch(() => Number.NaN),
  );
  new Gauge({
    name: 'trifocal_eventloop_delay_seconds',
    help: 'How late the event loop of a thread was within the last one to two minutes; quantile 1 is the worst',
    labelNames: ['thread', 'quantile'] as const,
    registers: [registry],
    async collect() {
      for (const [thread, delay] of Object.entries(loops)) {
        const { p50Seconds, p99Seconds, maxSeconds } = await delay().catch(() => NO_DELAY);
        this.set({ thread, quantile: '0.5' }, p50Seconds);
        this.set({ thread, quantile: '0.99' }, p99Seconds);
        this.set({ thread, quantile: '1' }, maxSeconds);
      }
    },
  });
  registerStoreMetrics(registry, parts.store, logger);
  return async () => ({
    contentType: registry.contentType,
    // An ingest thread that is being started again has none; the others matter the more.
    text: `${await parts.ingest.metrics().catch(() => '')}${await parts.queryMetrics.metrics()}${await registry.metrics()}`,
  });
}

/** Of a thread that is being started again. */
const NO_DELAY: LoopDelay = { p50Seconds: Number.NaN, p99Seconds: Number.NaN, maxSeconds: Number.NaN };
