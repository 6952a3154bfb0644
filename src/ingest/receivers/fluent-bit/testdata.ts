/** MessagePack as Fluent Bit writes it: enough to build requests for tests. */
export type Packable =
  | string
  | number
  | bigint
  | boolean
  | null
  | Buffer
  | EventTime
  | Packable[]
  | { [name: string]: Packable };

export class EventTime {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export function pack(value: Packable): Buffer {
  if (value === null) return Buffer.of(0xc0);
  if (typeof value === 'boolean') return Buffer.of(value ? 0xc3 : 0xc2);
  if (typeof value === 'number') return sized(0xcb, 8, (bytes) => bytes.writeDoubleBE(value, 1));
  if (typeof value === 'bigint') {
    if (value >= 0n && value < 128n) return Buffer.of(Number(value));
    return value < 0n
      ? sized(0xd3, 8, (bytes) => bytes.writeBigInt64BE(value, 1))
      : sized(0xcf, 8, (bytes) => bytes.writeBigUInt64BE(value, 1));
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([text.length < 32 ? Buffer.of(0xa0 | text.length) : long(0xdb, text.length), text]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([long(0xc6, value.length), value]);
  if (value instanceof EventTime) {
    const bytes = Buffer.alloc(10);
    bytes.writeUInt16BE(0xd700);
    bytes.writeUInt32BE(Number(value.ns / 1_000_000_000n), 2);
    bytes.writeUInt32BE(Number(value.ns % 1_000_000_000n), 6);
    return bytes;
  }
  if (Array.isArray(value)) {
    const head = value.length < 16 ? Buffer.of(0x90 | value.length) : long(0xdd, value.length);
    return Buffer.concat([head, ...value.map(pack)]);
  }
  const entries = Object.entries(value);
  const head = entries.length < 16 ? Buffer.of(0x80 | entries.length) : long(0xdf, entries.length);
  return Buffer.concat([head, ...entries.flatMap(([name, item]) => [pack(name), pack(item)])]);
}

function sized(code: number, size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size + 1);
  bytes[0] = code;
  write(bytes);
  return bytes;
}

function long(code: number, length: number): Buffer {
  return sized(code, 4, (bytes) => bytes.writeUInt32BE(length, 1));
}
