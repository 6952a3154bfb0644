import type { Column, ColumnBlock, ColumnValue, NumberColumn } from '../port.ts';
import { ByteReader, type Decoding, need, readText, readVarint } from './reader.ts';
import { type NativeType, type NumberName, parseNativeType } from './type.ts';

/** The stream ended inside a block; `rest` is what came after the last whole one. */
export class IncompleteBlockError extends Error {
  override name = 'IncompleteBlockError';
  readonly rest: Buffer;
  constructor(rest: Buffer) {
    super('the result ended inside a block');
    this.rest = rest;
  }
}

/** Decodes Native format as it arrives. Blocks without rows are left out. */
export async function* decodeNative(pieces: AsyncIterable<Buffer>): AsyncGenerator<ColumnBlock> {
  const source = pieces[Symbol.asyncIterator]();
  const reader = new ByteReader();
  const seen: Buffer[] = [];
  /** Reads pieces until `bytes` lie ahead; false when the stream ends first. */
  const fill = async (bytes: number): Promise<boolean> => {
    const gathered: Buffer[] = [];
    let size = reader.left;
    let ended = false;
    while (size < bytes && !ended) {
      const next = await source.next();
      if (next.done) ended = true;
      else {
        gathered.push(next.value);
        size += next.value.length;
      }
    }
    reader.append(gathered);
    keepTail(seen, gathered);
    return !ended || size >= bytes;
  };
  try {
    while (reader.left > 0 || (await fill(1))) {
      const decoding = decodeBlock(reader);
      let step = decoding.next();
      while (!step.done) {
        if (!(await fill(step.value))) throw new IncompleteBlockError(Buffer.concat(seen));
        step = decoding.next();
      }
      if (step.value.rows > 0) yield step.value;
    }
  } catch (error) {
    if (error instanceof IncompleteBlockError) throw error;
    for (let more = true; more; ) more = await fill(reader.left + 1).catch(() => false);
    throw new IncompleteBlockError(Buffer.concat(seen));
  } finally {
    await source.return?.();
  }
}

/** An engine that fails in mid-result writes its error as text at the end, so the last pieces are kept for that. */
function keepTail(seen: Buffer[], pieces: readonly Buffer[]): void {
  seen.push(...pieces);
  let size = seen.reduce((sum, piece) => sum + piece.length, 0);
  while (seen.length > 1 && size - (seen[0]?.length ?? 0) > 32_768) size -= seen.shift()?.length ?? 0;
}

function* decodeBlock(reader: ByteReader): Decoding<ColumnBlock> {
  const columnCount = yield* readVarint(reader);
  const rows = yield* readVarint(reader);
  if (columnCount > 10_000) throw new Error('not a Native block');
  const columns = new Map<string, Column>();
  for (let i = 0; i < columnCount; i++) {
    const name = yield* readText(reader);
    const type = parseNativeType(yield* readText(reader));
    columns.set(name, rows === 0 ? [] : yield* decodeColumn(reader, type, rows));
  }
  return { rows, columns };
}

function* decodeColumn(reader: ByteReader, type: NativeType, rows: number): Decoding<Column> {
  yield* skipPrefix(reader, type);
  return yield* decodeValues(reader, type, rows);
}

/** Low-cardinality columns announce their layout's version once, before the data of the whole column. */
function* skipPrefix(reader: ByteReader, type: NativeType): Decoding<void> {
  switch (type.kind) {
    case 'low-cardinality':
      yield* need(reader, 8);
      reader.at += 8;
      return;
    case 'nullable':
    case 'array':
      return yield* skipPrefix(reader, type.of);
    case 'map':
      yield* skipPrefix(reader, type.key);
      return yield* skipPrefix(reader, type.value);
    case 'tuple':
      for (const field of type.of) yield* skipPrefix(reader, field);
      return;
    default:
      return;
  }
}

function* decodeValues(reader: ByteReader, type: NativeType, rows: number): Decoding<Column> {
  switch (type.kind) {
    case 'number':
      return yield* decodeNumbers(reader, type.name, rows);
    case 'bool':
      return yield* decodeNumbers(reader, 'UInt8', rows);
    case 'string':
      return yield* decodeStrings(reader, rows);
    case 'fixed':
      return yield* decodeFixed(reader, type.bytes, rows);
    case 'uuid':
      return (yield* decodeFixed(reader, 16, rows)).map(uuidText);
    case 'nothing':
      yield* need(reader, rows);
      reader.at += rows;
      return new Array<ColumnValue>(rows).fill(null);
    case 'enum': {
      const codes = yield* decodeNumbers(reader, type.bits === 8 ? 'Int8' : 'Int16', rows);
      return Array.from<number | bigint, string>(codes, (code) => type.names.get(Number(code)) ?? String(code));
    }
    case 'low-cardinality':
      return yield* decodeLowCardinality(reader, type.of, rows);
    case 'nullable': {
      yield* need(reader, rows);
      const isNull = new Uint8Array(reader.take(rows));
      const values = yield* decodeValues(reader, type.of, rows);
      return Array.from<unknown, ColumnValue>({ length: rows }, (_, i) => (isNull[i] ? null : (values[i] ?? null)));
    }
    case 'array':
      return yield* decodeArrays(reader, type.of, rows);
    case 'map':
      return yield* decodeMaps(reader, type.key, type.value, rows);
    case 'tuple': {
      const fields: Column[] = [];
      for (const field of type.of) fields.push(yield* decodeValues(reader, field, rows));
      return Array.from({ length: rows }, (_, i) => fields.map((field) => field[i] ?? null));
    }
  }
}

const ARRAYS: Readonly<Record<NumberName, { BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer): NumberColumn }>> = {
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
  UInt64: BigUint64Array,
  Int8: Int8Array,
  Int16: Int16Array,
  Int32: Int32Array,
  Int64: BigInt64Array,
  Float32: Float32Array,
  Float64: Float64Array,
};

function* decodeNumbers(reader: ByteReader, name: NumberName, rows: number): Decoding<NumberColumn> {
  const array = ARRAYS[name];
  const bytes = rows * array.BYTES_PER_ELEMENT;
  yield* need(reader, bytes);
  return new array(reader.take(bytes));
}

function* decodeStrings(reader: ByteReader, rows: number): Decoding<string[]> {
  const values: string[] = new Array(rows);
  for (let i = 0; i < rows; i++) {
    while (!reader.hasVarint()) yield reader.left + 1;
    const length = reader.varint();
    while (reader.left < length) yield length;
    values[i] = length === 0 ? '' : reader.text(length);
  }
  return values;
}

function* decodeFixed(reader: ByteReader, bytes: number, rows: number): Decoding<Uint8Array[]> {
  yield* need(reader, bytes * rows);
  const all = new Uint8Array(reader.take(bytes * rows));
  return Array.from({ length: rows }, (_, i) => all.subarray(i * bytes, (i + 1) * bytes));
}

const INDEX_TYPES = ['UInt8', 'UInt16', 'UInt32', 'UInt64'] as const;

/** A dictionary of the block's distinct values, then each row's place in it. */
function* decodeLowCardinality(reader: ByteReader, of: NativeType, rows: number): Decoding<Column> {
  if (rows === 0) return [];
  yield* need(reader, 16);
  const layout = reader.uint64();
  const keyCount = reader.uint64();
  const inner = of.kind === 'nullable' ? of.of : of;
  const keys = yield* decodeValues(reader, inner, keyCount);
  yield* need(reader, 8);
  const count = reader.uint64();
  const index = yield* decodeNumbers(reader, INDEX_TYPES[layout & 3] ?? 'UInt8', count);
  const values: ColumnValue[] = new Array(count);
  for (let i = 0; i < count; i++) {
    const place = Number(index[i]);
    values[i] = of.kind === 'nullable' && place === 0 ? null : (keys[place] ?? null);
  }
  return values;
}

function* decodeOffsets(reader: ByteReader, rows: number): Decoding<Float64Array> {
  yield* need(reader, rows * 8);
  const offsets = new Float64Array(rows);
  for (let i = 0; i < rows; i++) offsets[i] = reader.uint64();
  return offsets;
}

/** Arrays of plain numbers come as typed arrays, with exact bits; others as arrays of values. */
function* decodeArrays(reader: ByteReader, of: NativeType, rows: number): Decoding<ColumnValue[]> {
  const offsets = yield* decodeOffsets(reader, rows);
  const items = yield* decodeValues(reader, of, offsets[rows - 1] ?? 0);
  const values: ColumnValue[] = new Array(rows);
  for (let i = 0, start = 0; i < rows; i++) {
    const end = offsets[i] ?? 0;
    values[i] = isNumbers(items) ? items.subarray(start, end) : items.slice(start, end);
    start = end;
  }
  return values;
}

function isNumbers(column: Column): column is NumberColumn {
  return ArrayBuffer.isView(column);
}

function* decodeMaps(reader: ByteReader, key: NativeType, value: NativeType, rows: number): Decoding<ColumnValue[]> {
  const offsets = yield* decodeOffsets(reader, rows);
  const count = offsets[rows - 1] ?? 0;
  const keys = yield* decodeValues(reader, key, count);
  const items = yield* decodeValues(reader, value, count);
  const maps: ColumnValue[] = new Array(rows);
  for (let i = 0, at = 0; i < rows; i++) {
    const map = new Map<string, string>();
    for (const end = offsets[i] ?? 0; at < end; at++) map.set(String(keys[at]), mapText(items[at] ?? null));
    maps[i] = map;
  }
  return maps;
}

function mapText(value: ColumnValue): string {
  return typeof value === 'string' ? value : String(value);
}

/** ClickHouse stores a UUID as two little-endian halves. */
function uuidText(bytes: Uint8Array): string {
  const high = Buffer.from(bytes.subarray(0, 8)).reverse().toString('hex');
  const low = Buffer.from(bytes.subarray(8, 16)).reverse().toString('hex');
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12)}-${low.slice(0, 4)}-${low.slice(4)}`;
}
