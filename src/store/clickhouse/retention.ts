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

/** Every table says by which retention and which column its days go. */
export const keptBy: Readonly<Record<TableName, { signal: keyof Retention; time: string } | 'forever'>> = {
  samples: { signal: 'metrics', time: 'ts' },
  samples_late: 'forever',
  series: { signal: 'metrics', time: 'last_ts' },
  metric_metadata: 'forever',
  histograms: { signal: 'metrics', time: 'ts' },
  exemplars: { signal: 'metrics', time: 'ts' },
  series_starts: { signal: 'metrics', time: 'ts' },
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
  for (const [table, kept] of Object.entries(keptBy)) {
    if (kept === 'forever') continue;
    const { signal, time } = kept;
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
