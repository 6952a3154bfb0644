import type { CallOptions, ClickHousePort, ColumnValue, Statement } from './port.ts';

/** The whole result as row objects: for small results only. */
export async function selectRows(
  port: ClickHousePort,
  statement: Statement,
  options: CallOptions,
): Promise<Record<string, ColumnValue>[]> {
  const rows: Record<string, ColumnValue>[] = [];
  for await (const block of port.select(statement, options)) {
    for (let i = 0; i < block.rows; i++) {
      rows.push(Object.fromEntries([...block.columns].map(([name, column]) => [name, column[i] ?? null])));
    }
  }
  return rows;
}
