import type { ClickHousePort, QueryLimits } from './port.ts';
import { selectRows } from './rows.ts';
import type { TableName } from './schema/tables.ts';

/** How long signals are kept, in days. */
export interface Retention {
  metrics: number | 'forever';
  logs: number | 'forever';
  traces: number | 'forever';
  objects: number | 'forever';
}

const KEPT_BY: Readonly<Partial<Record<TableName, { signal: keyof Retention; time: string }>>> = {
  samples: { signal: 'metrics', time: 'ts' },
  series: { signal: 'metrics', time: 'last_ts' },
  logs: { signal: 'logs', time: 'time' },
  spans: { signal: 'traces', time: 'start' },
  trace_times: { signal: 'traces', time: 'last' },
  object_versions: { signal: 'objects', time: 'valid_from' },
};

const LIMITS: QueryLimits = { seconds: 600, memoryBytes: 512 * 1024 ** 2 };

/** Makes the tables forget what is older. Days go whole, so a signal may stay up to a day longer. */
export async function applyRetention(port: ClickHousePort, retention: Retention): Promise<void> {
  const statement = {
    text: 'SELECT name, engine_full FROM system.tables WHERE database = currentDatabase()',
    params: {},
  };
  const tables = await selectRows(port, statement, { limits: LIMITS });
  for (const [table, { signal, time }] of Object.entries(KEPT_BY)) {
    const engine = String(tables.find((row) => row.name === table)?.engine_full ?? '');
    const change = ttlChange(engine, time, retention[signal]);
    if (change) await port.run({ text: `ALTER TABLE ${table} ${change}`, params: {} }, { limits: LIMITS });
  }
}

/** The alteration that is needed, if any, for a table whose engine clause is `engine`. */
export function ttlChange(engine: string, time: string, days: number | 'forever'): string | undefined {
  const now = /\bTTL (.+?)(?= SETTINGS |$)/.exec(engine)?.[1];
  if (days === 'forever') return now === undefined ? undefined : 'REMOVE TTL';
  const wanted = `${time} + toIntervalDay(${days})`;
  return now === wanted ? undefined : `MODIFY TTL ${wanted}`;
}
