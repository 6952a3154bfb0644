/** What went wrong with a query, in the words of Prometheus. `position` is where in the query's text. */
export class PromqlError extends Error {
  override name = 'PromqlError';
  readonly kind: PromqlErrorKind;
  readonly position?: Position;
  constructor(kind: PromqlErrorKind, message: string, options?: { position?: Position; cause?: unknown }) {
    super(message, { cause: options?.cause });
    this.kind = kind;
    if (options?.position) this.position = options.position;
  }
}

/**
 * `bad_data`: the query or its parameters are wrong; `execution`: it can't be computed on these samples, or is over a
 * limit of series, samples or memory; `timeout`, `canceled`: it did not finish; `internal`: the store failed.
 */
export type PromqlErrorKind = 'bad_data' | 'execution' | 'timeout' | 'canceled' | 'internal';

/** Both count from 1. */
export interface Position {
  line: number;
  column: number;
}
