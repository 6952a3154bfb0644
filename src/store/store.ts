import { type Clock, type Logger, silentTracer, type Tracer } from '../base/index.ts';
import { beginTelemetryRestore, countRows, type TelemetryRestore } from './backup/attach.ts';
import { type FrozenTelemetry, freezeTelemetry, releaseAllFrozen } from './backup/freeze.ts';
import { createClickHousePort, type Endpoint } from './clickhouse/client.ts';
import { syncMerges } from './clickhouse/durable-merges.ts';
import { migrate } from './clickhouse/migrations/index.ts';
import type { ClickHousePort } from './clickhouse/port.ts';
import { applyRetention, type Retention } from './clickhouse/retention.ts';
import { DATABASE } from './clickhouse/schema/tables.ts';
import { type PartStats, readPartStats, readTableStats, type TableStats } from './clickhouse/sizes.ts';
import { tracePort } from './clickhouse/traced-port.ts';
import { watchServer } from './clickhouse/watch.ts';
import { startEngine } from './engine/start.ts';

/** Where telemetry is kept: in the embedded engine under `folder`, or on a ClickHouse server of the user. */
export type EngineOptions =
  | { kind: 'embedded'; folder: string; memoryBytes: number }
  | { kind: 'remote'; url: string; user: string; password: string; database: string };

export interface StoreOptions {
  engine: EngineOptions;
  retention: Retention;
  clock: Clock;
  logger: Logger;
  /** Of its statements. */
  tracer?: Tracer;
}

/** The telemetry store, its schema at the newest version. */
export interface Store {
  port: ClickHousePort;
  isUp(): boolean;
  /** Calls back on every change between up and down; returns how to stop that. */
  onStateChange(listener: (up: boolean) => void): () => void;
  tableStats(signal?: AbortSignal): Promise<TableStats[]>;
  partStats(signal?: AbortSignal): Promise<PartStats[]>;
  /** For backups of the embedded engine; undefined for a ClickHouse of the user, which has its own. */
  backup: StoreBackup | undefined;
  close(): Promise<void>;
}

export interface StoreBackup {
  /** All telemetry that is in the tables now. `name` is of letters and digits. The caller releases it. */
  freeze(name: string): Promise<FrozenTelemetry>;
  restore(): Promise<TelemetryRestore>;
  /** Rows of each table that has any. */
  countRows(): Promise<Map<string, number>>;
}

/** Opens the store, starting the embedded engine if that is asked for. Throws a StoreError that says why it can't. */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.engine.kind === 'embedded') await releaseAllFrozen(options.engine.folder);
  const server = await openServer(options);
  const port = tracePort(createClickHousePort(server.endpoint), options.tracer ?? silentTracer);
  const close = async () => {
    await port.close();
    await server.close();
  };
  try {
    await migrate(port, options.logger);
    await syncMerges(port);
    await applyRetention(port, options.retention);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    isUp: port.isUp,
    onStateChange: server.onStateChange,
    tableStats: (signal) => readTableStats(port, signal),
    partStats: (signal) => readPartStats(port, signal),
    backup: options.engine.kind === 'embedded' ? createBackup(port) : undefined,
    close,
  };
}

function createBackup(port: ClickHousePort): StoreBackup {
  return {
    freeze: (name) => freezeTelemetry(port, name),
    restore: () => beginTelemetryRestore(port),
    countRows: () => countRows(port),
  };
}

/** Something that answers as ClickHouse does, and whether it does now. */
interface Server {
  endpoint(): Endpoint | undefined;
  onStateChange(listener: (up: boolean) => void): () => void;
  close(): Promise<void>;
}

function openServer({ engine, clock, logger }: StoreOptions): Promise<Server> {
  if (engine.kind === 'embedded') return startEngine({ ...engine, database: DATABASE, clock, logger });
  return watchServer({ ...engine, embedded: false }, clock, logger);
}
