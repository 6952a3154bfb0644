import { type CallOptions, type ClickHousePort, type ColumnBlock, StoreError } from '../../../store/index.ts';
import { type Sql, statement } from '../../sql/index.ts';
import { type ReadOptions, SourceLimitError } from '../contract.ts';

/** The result's blocks; going over the read's rows is a SourceLimitError that names the limit. */
export async function* readBlocks(
  port: ClickHousePort,
  query: Sql,
  read: ReadOptions,
  rows: { limit: 'series' | 'samples'; count: number },
): AsyncGenerator<ColumnBlock> {
  try {
    yield* port.select(statement(query), callOptions(read, rows.count));
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'limit') throw asLimit(error, rows);
    throw error;
  }
}

function callOptions({ limits, signal }: ReadOptions, resultRows: number): CallOptions {
  return {
    limits: { seconds: Math.max(1, Math.ceil(limits.seconds)), memoryBytes: limits.memoryBytes, resultRows },
    ...(signal && { signal }),
  };
}

function asLimit(error: StoreError, rows: { limit: 'series' | 'samples'; count: number }): SourceLimitError {
  const limit = error.limit ?? '';
  if (/^time/.test(limit)) return new SourceLimitError('time', error.message, { cause: error });
  if (/row/.test(limit)) {
    return new SourceLimitError(
      rows.limit,
      `the selector reads more than ${rows.count} ${rows.limit}: narrow the selector or the time range`,
      { cause: error },
    );
  }
  return new SourceLimitError('memory', `${error.message}: narrow the selector or the time range`, { cause: error });
}

/** Columns of one type; the query's own text says what it is. */
export function float64(block: ColumnBlock, name: string): Float64Array {
  const column = block.columns.get(name);
  if (column instanceof Float64Array) return column;
  throw new Error(`column ${name} is no Float64`);
}

export function uint64(block: ColumnBlock, name: string): BigUint64Array {
  const column = block.columns.get(name);
  if (column instanceof BigUint64Array) return column;
  throw new Error(`column ${name} is no UInt64`);
}

export function texts(block: ColumnBlock, name: string): readonly string[] {
  const column = block.columns.get(name);
  if (!Array.isArray(column)) throw new Error(`column ${name} is no String`);
  return column.map(String);
}
