import type { Clock, Logger } from '../../base/index.ts';
import { createClickHousePort } from '../clickhouse/client.ts';
import { syncMerges } from '../clickhouse/durable-merges.ts';
import { migrate, migrations } from '../clickhouse/migrations/index.ts';
import type { ClickHousePort } from '../clickhouse/port.ts';
import { DATABASE } from '../clickhouse/schema/tables.ts';
import { startEngine } from '../engine/start.ts';
import { beginTelemetryRestore, type TelemetryRestore } from './attach.ts';

/**
 * An embedded engine in an empty folder with the tables as they were at `schema`, to put a backup of that schema into. The
 * next `openStore` brings it to the newest.
 */
export async function openFreshEngine(options: {
  folder: string;
  memoryBytes: number;
  schema: number;
  clock: Clock;
  logger: Logger;
}): Promise<TelemetryRestore & { port: ClickHousePort; close(): Promise<void> }> {
  const { schema, ...rest } = options;
  const engine = await startEngine({ ...rest, database: DATABASE });
  const port = createClickHousePort(engine.endpoint);
  const close = async () => {
    await port.close();
    await engine.close();
  };
  try {
    await migrate(
      port,
      options.logger,
      migrations.filter((step) => step.version <= schema),
    );
    await syncMerges(port);
    return { ...(await beginTelemetryRestore(port)), port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The newest schema that this program knows. */
export const newestTelemetrySchema = Math.max(...migrations.map((step) => step.version));
