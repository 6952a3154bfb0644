import { ByteWriter } from './writer.ts';

/** One column of a block that is being built. */
export interface ColumnBuilder {
  /** The type's text, as the block's header carries it. */
  readonly type: string;
  /** What must precede the data of the whole column (low-cardinality versions). */
  prefix(): Uint8Array;
  data(): Uint8Array[];
}

/** One Native block. Every column must hold `rows` values. */
export function encodeBlock(rows: number, columns: Readonly<Record<string, ColumnBuilder>>): Buffer {
  const entries = Object.entries(columns);
  const start = new ByteWriter();
  start.varint(entries.length);
  start.varint(rows);
  const pieces: Uint8Array[] = [start.written()];
  for (const [name, column] of entries) {
    const header = new ByteWriter(64);
    header.text(name);
    header.text(column.type);
    pieces.push(header.written(), column.prefix(), ...column.data());
  }
  return Buffer.concat(pieces);
}

const NOTHING = new Uint8Array(0);
/** Layout with a dictionary in each block, the only one there is. */
const LOW_CARDINALITY_VERSION = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);

/** A column whose values are written by the caller, in exactly the bytes the type asks for. */
export class PlainColumn implements ColumnBuilder {
  readonly type: string;
  readonly values: ByteWriter;
  constructor(type: string, capacity = 1024) {
    this.type = type;
    this.values = new ByteWriter(capacity);
  }
  prefix(): Uint8Array {
    return NOTHING;
  }
  data(): Uint8Array[] {
    return [this.values.written()];
  }
}

export class TextColumn extends PlainColumn {
  constructor() {
    super('String');
  }
  push(text: string): void {
    this.values.text(text);
  }
}

/** Texts of which few differ: each is written once, rows hold its number. */
export class LowCardinalityColumn implements ColumnBuilder {
  readonly type = 'LowCardinality(String)';
  private readonly numbers = new Map<string, number>();
  private readonly dictionary = new ByteWriter();
  private index = new Uint32Array(256);
  private rows = 0;
  private lastText: string | undefined;
  private lastNumber = 0;

  get length(): number {
    return this.rows;
  }

  push(text: string): void {
    if (text !== this.lastText) {
      this.lastText = text;
      this.lastNumber = this.numberOf(text);
    }
    this.reserve(1);
    this.index[this.rows++] = this.lastNumber;
  }

  /** Adds the rows `start` to `end` once more. */
  repeat(start: number, end: number): void {
    this.reserve(end - start);
    this.index.copyWithin(this.rows, start, end);
    this.rows += end - start;
  }

  prefix(): Uint8Array {
    return LOW_CARDINALITY_VERSION;
  }

  data(): Uint8Array[] {
    if (this.rows === 0) return [];
    const { size } = this.numbers;
    const width = size <= 0x100 ? 0 : size <= 0x10000 ? 1 : 2;
    const layout = new ByteWriter(16);
    layout.int64(0x600 | width);
    layout.int64(size);
    const count = new ByteWriter(8);
    count.int64(this.rows);
    const rows = this.index.subarray(0, this.rows);
    const index = width === 0 ? Uint8Array.from(rows) : width === 1 ? Uint16Array.from(rows) : rows;
    const bytes = new Uint8Array(index.buffer, index.byteOffset, index.byteLength);
    return [layout.written(), this.dictionary.written(), count.written(), bytes];
  }

  private numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(text, number);
    this.dictionary.text(text);
    return number;
  }

  private reserve(rows: number): void {
    if (this.rows + rows <= this.index.length) return;
    const larger = new Uint32Array(Math.max(this.index.length * 2, this.rows + rows));
    larger.set(this.index);
    this.index = larger;
  }
}

/** Several values a row: the running count of values, then the values as a column of their own. */
export class ArrayColumn<Items extends ColumnBuilder> implements ColumnBuilder {
  readonly type: string;
  readonly items: Items;
  private readonly offsets = new ByteWriter();
  private count = 0;
  constructor(items: Items) {
    this.type = `Array(${items.type})`;
    this.items = items;
  }
  /** Ends a row into which `added` items were pushed. */
  endRow(added: number): void {
    this.count += added;
    this.offsets.int64(this.count);
  }
  prefix(): Uint8Array {
    return this.items.prefix();
  }
  data(): Uint8Array[] {
    return [this.offsets.written(), ...this.items.data()];
  }
}

type KeyColumn = LowCardinalityColumn | TextColumn;
type ValueColumn = LowCardinalityColumn | TextColumn;

/** Maps of texts. A row whose source is the previous row's is copied instead of written again. */
export class MapColumn implements ColumnBuilder {
  readonly type: string;
  private readonly keys: KeyColumn;
  private readonly values: ValueColumn;
  private readonly offsets = new ByteWriter();
  private count = 0;
  private lastSource: unknown;
  private lastKeys = 0;
  private lastValues = 0;
  private lastCount = 0;

  constructor(keys: KeyColumn, values: ValueColumn) {
    this.type = `Map(${keys.type}, ${values.type})`;
    this.keys = keys;
    this.values = values;
  }

  /** Adds a row made by `fill`, which pushes pairs; `source` is what the row depends on alone. */
  push(source: unknown, fill: (push: (key: string, value: string) => void) => void): void {
    if (source === this.lastSource) {
      this.repeatLast();
      return;
    }
    this.lastSource = source;
    this.lastKeys = position(this.keys);
    this.lastValues = position(this.values);
    const before = this.count;
    fill(this.pushPair);
    this.lastCount = this.count - before;
    this.offsets.int64(this.count);
  }

  prefix(): Uint8Array {
    return Buffer.concat([this.keys.prefix(), this.values.prefix()]);
  }

  data(): Uint8Array[] {
    return [this.offsets.written(), ...this.keys.data(), ...this.values.data()];
  }

  private readonly pushPair = (key: string, value: string): void => {
    this.keys.push(key);
    this.values.push(value);
    this.count++;
  };

  private repeatLast(): void {
    this.lastKeys = repeatFrom(this.keys, this.lastKeys);
    this.lastValues = repeatFrom(this.values, this.lastValues);
    this.count += this.lastCount;
    this.offsets.int64(this.count);
  }
}

function position(column: KeyColumn): number {
  return column instanceof LowCardinalityColumn ? column.length : column.values.length;
}

/** Repeats what lies behind `start`; returns where the repetition begins. */
function repeatFrom(column: KeyColumn, start: number): number {
  const end = position(column);
  if (column instanceof LowCardinalityColumn) column.repeat(start, end);
  else column.values.repeat(start, end);
  return end;
}
