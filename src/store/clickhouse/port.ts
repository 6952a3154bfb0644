/**
 * The one way to ClickHouse, embedded or remote. Each call takes limits, bound parameters and an abort signal that
 * really stops the work in the engine. One contract suite runs against every implementation.
 */
export interface ClickHousePort {
  /** Streams the result in column blocks as the engine produces them. Stop early by aborting or leaving the loop. */
  select(statement: Statement, options: CallOptions): AsyncIterable<ColumnBlock>;
  /** Inserts a file of Native blocks, all or nothing; a second call with the same token adds nothing. */
  insertSegment(insert: { table: string; file: string; token: string }, options: CallOptions): Promise<void>;
  /** For schema changes, deletes and settings; returns no rows. */
  run(statement: Statement, options: CallOptions): Promise<void>;
  /** Whether the engine answers now. */
  isUp(): boolean;
}

/** SQL with `{name:Type}` placeholders; values are bound, never spliced. Built by `query/sql`. */
export interface Statement {
  text: string;
  params: Readonly<Record<string, ParamValue>>;
}

export type ParamValue = string | number | bigint | boolean | readonly string[] | readonly number[] | readonly bigint[];

export interface CallOptions {
  limits: QueryLimits;
  signal?: AbortSignal;
}

export interface QueryLimits {
  seconds: number;
  memoryBytes: number;
  /** Rows of the result; more is an error, never a silent cut. */
  resultRows?: number;
}

/** A run of rows in columns; every column has `rows` entries. */
export interface ColumnBlock {
  rows: number;
  columns: ReadonlyMap<string, Column>;
}

/** Numbers up to 64-bit floats as typed arrays with exact bits, 64-bit integers and DateTime64 as bigint arrays of ticks. */
export type Column = NumberColumn | readonly string[] | readonly ColumnValue[];

export type NumberColumn =
  | Float64Array
  | Float32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array;

/**
 * Values of columns that have no typed form: nullable, arrays (of plain numbers: typed arrays with exact bits), maps (values
 * as text), tuples, fixed strings (as bytes). Booleans are 0 and 1, UUIDs text.
 */
export type ColumnValue =
  | string
  | number
  | bigint
  | null
  | NumberColumn
  | readonly ColumnValue[]
  | ReadonlyMap<string, string>;

/** What the engine or the port said no to. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** For limits: which one and its value. */
  readonly limit?: string;
  constructor(kind: StoreErrorKind, message: string, options?: { cause?: unknown; limit?: string }) {
    super(message, { cause: options?.cause });
    this.kind = kind;
    if (options?.limit !== undefined) this.limit = options.limit;
  }
}

/** `down`: nobody answers, try again later; `limit`: time, memory or rows; `statement`: the SQL or its parameters are wrong. */
export type StoreErrorKind = 'down' | 'limit' | 'aborted' | 'statement' | 'data' | 'internal';
