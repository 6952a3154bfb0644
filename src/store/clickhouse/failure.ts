import { ClickHouseError } from '@clickhouse/client';
import { isAbort } from '../../base/index.ts';
import { type QueryLimits, StoreError, type StoreErrorKind } from './port.ts';

/** Codes of ClickHouse (ErrorCodes.cpp) that are not a mistake of the statement's author. */
const KIND_BY_CODE: Readonly<Record<number, StoreErrorKind>> = {
  159: 'limit', // TIMEOUT_EXCEEDED
  160: 'limit', // TOO_SLOW
  241: 'limit', // MEMORY_LIMIT_EXCEEDED
  396: 'limit', // TOO_MANY_ROWS_OR_BYTES
  158: 'limit', // TOO_MANY_ROWS
  307: 'limit', // TOO_MANY_BYTES
  394: 'aborted', // QUERY_WAS_CANCELLED
  202: 'down', // TOO_MANY_SIMULTANEOUS_QUERIES
  209: 'down', // SOCKET_TIMEOUT
  210: 'down', // NETWORK_ERROR
  243: 'down', // NOT_ENOUGH_SPACE
  252: 'down', // TOO_MANY_PARTS
  236: 'down', // ABORTED, the server shuts down
  516: 'down', // AUTHENTICATION_FAILED
  33: 'data', // CANNOT_READ_ALL_DATA
  27: 'data', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  117: 'data', // INCORRECT_DATA
  49: 'internal', // LOGICAL_ERROR
};

/** What went wrong with a call, in the port's words. */
export function asStoreError(error: unknown, limits: QueryLimits, signal: AbortSignal | undefined): StoreError {
  if (signal?.aborted) return new StoreError('aborted', 'the query was stopped', { cause: error });
  if (error instanceof StoreError) return error;
  if (error instanceof ClickHouseError) return fromCode(Number(error.code), error.message, limits, error);
  if (isAbort(error)) return new StoreError('aborted', 'the query was stopped', { cause: error });
  return new StoreError('down', `the store does not answer: ${error instanceof Error ? error.message : error}`, {
    cause: error,
  });
}

/** An error that the engine wrote as text into a result it had begun. */
export function storeErrorFromText(text: string, limits: QueryLimits): StoreError | undefined {
  const match = /Code: (\d+)\. DB::Exception: ([\s\S]*?)(?:\n|$)/.exec(text);
  return match ? fromCode(Number(match[1]), match[2] ?? '', limits, undefined) : undefined;
}

function fromCode(code: number, message: string, limits: QueryLimits, cause: unknown): StoreError {
  const kind = KIND_BY_CODE[code] ?? 'statement';
  if (kind !== 'limit') return new StoreError(kind, message, { cause });
  const limit = nameLimit(code, limits);
  return new StoreError('limit', `the query exceeded its limit: ${limit}`, { cause, limit });
}

function nameLimit(code: number, limits: QueryLimits): string {
  if (code === 241) return `memory ${limits.memoryBytes} bytes`;
  if (code === 159 || code === 160) return `time ${limits.seconds} s`;
  return resultRowsLimit(limits);
}

export function resultRowsLimit(limits: QueryLimits): string {
  return `result rows ${limits.resultRows}`;
}
