import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Parts } from './parts.ts';

/** Trifocal's own metrics: those of ingest, and the state of spool, store and event loop at the moment of the scrape. */
export function createOwnMetrics(parts: Parts): () => Promise<{ contentType: string; text: string }> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
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
  gauge('trifocal_active_series', 'Series that had samples lately', () => parts.ingest.activeSeries());
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  gauge('trifocal_eventloop_delay_seconds', 'Longest delay of the event loop since the last scrape', () => {
    const seconds = delay.max / 1e9;
    delay.reset();
    return seconds;
  });
  return async () => ({
    contentType: registry.contentType,
    text: `${await parts.ingest.metrics.metrics()}${await registry.metrics()}`,
  });
}
