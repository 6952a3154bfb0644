import type { Clock, Logger } from '../base/index.ts';
import type { ClickHousePort } from './clickhouse/port.ts';

/** Where telemetry is kept: in the embedded engine under `folder`, or on a ClickHouse server of the user. */
export type EngineOptions =
  | { kind: 'embedded'; folder: string; memoryBytes: number }
  | { kind: 'remote'; url: string; user: string; password: string; database: string };

/** How long signals are kept, in days. */
export interface Retention {
  metrics: number | 'forever';
  logs: number | 'forever';
  traces: number | 'forever';
  objects: number | 'forever';
}

export interface StoreOptions {
  engine: EngineOptions;
  retention: Retention;
  clock: Clock;
  logger: Logger;
}

export interface TableStats {
  name: string;
  rows: number;
  /** On disk, compressed, indexes included. */
  bytes: number;
}

/** The telemetry store, its schema at the newest version. */
export interface Store {
  port: ClickHousePort;
  isUp(): boolean;
  /** Calls back on every change between up and down; returns how to stop that. */
  onStateChange(listener: (up: boolean) => void): () => void;
  tableStats(signal?: AbortSignal): Promise<TableStats[]>;
  close(): Promise<void>;
}
