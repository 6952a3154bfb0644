import { ClickHouseError } from '@clickhouse/client';
import { isAbort } from '../../base/index.ts';
import { type QueryLimits, StoreError, type StoreErrorKind } from './port.ts';

/** Codes of ClickHouse (ErrorCodes.cpp) by what they mean to a caller; all others are a mistake in the statement. */
const CODES: Readonly<Partial<Record<StoreErrorKind, readonly number[]>>> = {
  // TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES
  limit: [158, 159, 160, 241, 307, 396],
  // QUERY_WAS_CANCELLED
  aborted: [394],
  // The server's files, memory, threads, connections or replicas: CANNOT_READ_FROM_FILE_DESCRIPTOR to CANNOT_CLOSE_FILE,
  // CANNOT_SEEK_THROUGH_FILE, CANNOT_TRUNCATE_FILE, CANNOT_READ_FROM_SOCKET, CANNOT_WRITE_TO_SOCKET, READONLY,
  // CANNOT_ALLOCATE_MEMORY, TOO_MANY_SIMULTANEOUS_QUERIES, NO_FREE_CONNECTION, CANNOT_FSYNC, SOCKET_TIMEOUT, NETWORK_ERROR,
  // NO_ZOOKEEPER, ABORTED, TABLE_IS_READ_ONLY, NOT_ENOUGH_SPACE, TOO_MANY_PARTS, ALL_CONNECTION_TRIES_FAILED,
  // CANNOT_WRITE_TO_FILE, RECEIVED_ERROR_TOO_MANY_REQUESTS, CANNOT_SCHEDULE_TASK, AUTHENTICATION_FAILED, CANNOT_CREATE_FILE,
  // CANNOT_APPEND_TO_FILE, SERVER_OVERLOADED, TCP_CONNECTION_LIMIT_REACHED, HTTP_CONNECTION_LIMIT_REACHED, KEEPER_EXCEPTION,
  // POCO_EXCEPTION, STD_EXCEPTION (a full disk may be one)
  down: [
    74, 75, 76, 77, 87, 88, 95, 96, 164, 173, 202, 203, 204, 209, 210, 225, 236, 242, 243, 252, 279, 294, 364, 439, 516, 586, 641,
    745, 749, 762, 999, 1000, 1001,
  ], // biome-ignore format: a list to read
  // UNEXPECTED_END_OF_FILE, CANNOT_PARSE_INPUT_ASSERTION_FAILED, CANNOT_READ_ALL_DATA, INCORRECT_DATA
  data: [3, 27, 33, 117],
  // LOGICAL_ERROR, UNKNOWN_EXCEPTION
  internal: [49, 1002],
};

function kindOf(code: number): StoreErrorKind {
  const found = Object.entries(CODES).find(([, codes]) => codes.includes(code));
  return (found?.[0] ?? 'statement') as StoreErrorKind; // the keys of CODES are kinds
}

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
  const kind = kindOf(code);
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
