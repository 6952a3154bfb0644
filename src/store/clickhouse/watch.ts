import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Clock, Logger } from '../../base/index.ts';
import type { Endpoint } from './client.ts';
import { StoreError } from './port.ts';

const PING_EVERY_MS = 5_000;

/** A ClickHouse server somebody else runs: asks every five seconds whether it is there. Throws when it is not at first. */
export async function watchServer(endpoint: Endpoint, clock: Clock, logger: Logger) {
  const client = createClient({
    url: endpoint.url,
    username: endpoint.user,
    password: endpoint.password,
    request_timeout: PING_EVERY_MS,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const closing = new AbortController();
  const listeners = new Set<(up: boolean) => void>();
  const answers = async () => (await client.ping({ select: true })).success;
  let up = await answers();
  if (!up) {
    await client.close();
    throw new StoreError('down', `no ClickHouse answers at ${endpoint.url}, or it refuses user ${endpoint.user}`);
  }
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${endpoint.database}` });
  const watch = async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(PING_EVERY_MS, closing.signal);
      const now = await answers();
      if (now === up) continue;
      up = now;
      logger.warn({ url: endpoint.url, up }, up ? 'the store is back' : 'the store is down');
      for (const listener of listeners) listener(up);
    }
  };
  const watching = watch().catch(() => {}); // ends by the abort of its sleep
  return {
    endpoint: () => (up ? endpoint : undefined),
    onStateChange: (listener: (up: boolean) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      closing.abort();
      await watching;
      await client.close();
    },
  };
}
