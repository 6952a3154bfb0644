import { isAbort } from '../../base/index.ts';
import { PromqlError, SourceLimitError } from '../../query/index.ts';
import { StoreError } from '../../store/index.ts';

/** Prometheus' error types and the status that each comes with. */
const STATUS = {
  bad_data: 400,
  execution: 422,
  canceled: 499,
  timeout: 503,
  unavailable: 503,
  internal: 500,
  not_found: 404,
} as const;

export type PrometheusErrorType = keyof typeof STATUS;

export class PrometheusError extends Error {
  override name = 'PrometheusError';
  readonly type: PrometheusErrorType;
  constructor(type: PrometheusErrorType, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.type = type;
  }
}

/** Any error in the envelope of the Prometheus API. */
export function errorAnswer(error: unknown): { type: PrometheusErrorType; status: number; body: object } {
  const { type, message } = classify(error);
  return { type, status: STATUS[type], body: { status: 'error', errorType: type, error: message } };
}

function classify(error: unknown): { type: PrometheusErrorType; message: string } {
  if (error instanceof PrometheusError) return error;
  if (error instanceof PromqlError)
    return { type: isStoreDown(error.cause) ? 'unavailable' : error.kind, message: error.message };
  if (error instanceof SourceLimitError)
    return { type: error.limit === 'time' ? 'timeout' : 'execution', message: error.message };
  if (isStoreDown(error)) return { type: 'unavailable', message: 'the store is down, try again shortly' };
  if (error instanceof StoreError && error.kind === 'limit') return { type: 'execution', message: error.message };
  if (isAbort(error) || (error instanceof StoreError && error.kind === 'aborted'))
    return { type: 'timeout', message: 'the request took too long and was stopped' };
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500 && error instanceof Error) return { type: 'bad_data', message: error.message };
  return { type: 'internal', message: 'unexpected error; the log has the details' };
}

function isStoreDown(error: unknown): boolean {
  return error instanceof StoreError && error.kind === 'down';
}
