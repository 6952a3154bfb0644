import type { ClickHousePort, QueryLimits } from './port.ts';
import { selectRows } from './rows.ts';
import { isTableName } from './schema/tables.ts';

export interface TableStats {
  /** A table of Trifocal, or `system.<name>` for one that ClickHouse keeps about itself. */
  name: string;
  rows: number;
  /** On disk, compressed, indexes included; of active parts. */
  bytes: number;
  /** `system`: bookkeeping of Trifocal or ClickHouse. The embedded engine keeps no logs of its own. */
  kind: 'signal' | 'system';
}

/** How the parts of a table are: many active ones mean that merges do not keep up. */
export interface PartStats {
  table: string;
  active: number;
  /** Merged or dropped ones that still take room. */
  outdated: number;
  outdatedBytes: number;
  /** Merges and mutations that run now. */
  merges: number;
}

const LIMITS: QueryLimits = { seconds: 5, memoryBytes: 256 * 1024 ** 2 };

export async function readTableStats(port: ClickHousePort, signal: AbortSignal | undefined): Promise<TableStats[]> {
  const text = `SELECT if(database = 'system', concat('system.', table), table) AS name, sum(rows) AS total_rows, sum(bytes_on_disk) AS total_bytes
FROM system.parts WHERE database IN (currentDatabase(), 'system') AND active GROUP BY name ORDER BY name`;
  const rows = await selectRows(port, { text, params: {} }, { limits: LIMITS, ...(signal && { signal }) });
  return rows.map((row) => {
    const name = String(row.name);
    const kind = isTableName(name) ? 'signal' : 'system';
    return { name, rows: Number(row.total_rows), bytes: Number(row.total_bytes), kind };
  });
}

export async function readPartStats(port: ClickHousePort, signal: AbortSignal | undefined): Promise<PartStats[]> {
  const text = `SELECT table, countIf(active) AS active_parts, countIf(NOT active) AS outdated_parts,
  sumIf(bytes_on_disk, NOT active) AS outdated_bytes, any(running) AS merges
FROM system.parts LEFT JOIN (
  SELECT table, count() AS running FROM system.merges WHERE database = currentDatabase() GROUP BY table
) AS running_merges USING (table)
WHERE database = currentDatabase() GROUP BY table ORDER BY table`;
  const rows = await selectRows(port, { text, params: {} }, { limits: LIMITS, ...(signal && { signal }) });
  return rows.map((row) => ({
    table: String(row.table),
    active: Number(row.active_parts),
    outdated: Number(row.outdated_parts),
    outdatedBytes: Number(row.outdated_bytes),
    merges: Number(row.merges),
  }));
}
