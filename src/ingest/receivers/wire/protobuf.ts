import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../../errors.ts';

/**
 * Reads protobuf's wire format from one buffer, without schema and without copying. A message is read by
 * `for (const end = r.message(); r.more(end); ) switch (r.tag()) …`; every read is checked against the buffer's end,
 * and a message that runs over its own end is an error. Throws DecodeError only.
 */
export class ProtoReader {
  readonly bytes: Buffer;
  pos = 0;
  /** Number of length-delimited messages that are open: bounds recursion of messages that nest in themselves. */
  private depth = 0;
  private entered = 0;
  private readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fail(what: string, at = this.pos): never {
    throw new DecodeError(`malformed protobuf at byte ${at}: ${what}`);
  }

  /** Whether the message that ends at `end` has more fields. */
  more(end: number): boolean {
    if (this.pos < end) return true;
    if (this.pos > end) this.fail(`a field runs past the end of its message at byte ${end}`);
    return false;
  }

  /** Field number and wire type as on the wire: `number << 3 | type`. */
  tag(): number {
    const at = this.pos;
    const tag = this.uint32();
    if (tag >>> 3 === 0) this.fail('field number 0', at);
    return tag;
  }

  /** A varint of at most 32 bits; higher bits are dropped, as protobuf wants. */
  uint32(): number {
    const { bytes } = this;
    let byte = bytes[this.pos];
    if (byte === undefined) this.fail('ends inside a number');
    this.pos++;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      byte = bytes[this.pos];
      if (byte === undefined) this.fail('ends inside a number');
      this.pos++;
      if (shift < 35) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    return this.fail('a number of more than 10 bytes');
  }

  /** A varint of 64 bits as signed integer; beyond 2^53 the nearest double. */
  int64(): number {
    const { bytes } = this;
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      const byte = bytes[this.pos];
      if (byte === undefined) this.fail('ends inside a number');
      this.pos++;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i < 8) middle |= bits << (7 * (i - 4));
      else high |= bits << (7 * (i - 8));
      if (byte < 0x80) {
        if (high === 0) return low + middle * 0x10000000;
        // low: 28 bits, middle: 28 bits, high: 8 bits, put together as two 32-bit words.
        const lowWord = (low | (middle << 28)) >>> 0;
        const highWord = (middle >>> 4) | (high << 24);
        return highWord * 0x100000000 + lowWord;
      }
    }
    return this.fail('a number of more than 10 bytes');
  }

  /** A varint of 64 bits, exact. */
  int64Exact(): bigint {
    const at = this.pos;
    const number = this.int64();
    if (Number.isSafeInteger(number)) return BigInt(number);
    let value = 0n;
    for (let i = at, shift = 0n; i < this.pos; i++, shift += 7n) value |= BigInt((this.bytes[i] ?? 0) & 0x7f) << shift;
    return BigInt.asIntN(64, value);
  }

  /** A varint of 64 bits without sign; beyond 2^53 the nearest double. */
  uint64(): number {
    const number = this.int64();
    return number < 0 ? number + 2 ** 64 : number;
  }

  /** A zigzag varint of 32 bits. */
  sint32(): number {
    const raw = this.uint32();
    return (raw >>> 1) ^ -(raw & 1);
  }

  bool(): boolean {
    return this.int64() !== 0;
  }

  fixed32(): number {
    this.need(4);
    const value = this.view.getUint32(this.pos, true);
    this.pos += 4;
    return value;
  }

  fixed64(): bigint {
    this.need(8);
    const value = this.view.getBigUint64(this.pos, true);
    this.pos += 8;
    return value;
  }

  sfixed64(): bigint {
    return BigInt.asIntN(64, this.fixed64());
  }

  double(): number {
    this.need(8);
    const value = this.view.getFloat64(this.pos, true);
    this.pos += 8;
    return value;
  }

  /** The two 32-bit halves of a double: low word; the high one is at `pos - 4`. For values whose bits must not change. */
  doubleInto(words: Uint32Array, index: number): void {
    this.need(8);
    words[index * 2] = this.view.getUint32(this.pos, true);
    words[index * 2 + 1] = this.view.getUint32(this.pos + 4, true);
    this.pos += 8;
  }

  /** Reads a length and returns where that many bytes end; `pos` is then at their start. */
  length(): number {
    const at = this.pos;
    const size = this.uint32();
    const end = this.pos + size;
    if (end > this.bytes.length) this.fail(`${size} bytes announced, ${this.bytes.length - this.pos} left`, at);
    return end;
  }

  /**
   * Enters a message that may contain itself; pair with `leave`. Fails at more than 64 levels, and when more than `most`
   * were entered since the last `resume`.
   */
  enter(most: number): number {
    if (++this.depth > 64) this.fail('values nested more than 64 deep');
    if (++this.entered > most) this.fail(`more than ${most} values`);
    return this.length();
  }

  /** Goes on at a place outside of all messages that `enter` counts, also after a failure. */
  resume(pos: number): void {
    this.pos = pos;
    this.depth = 0;
    this.entered = 0;
  }

  leave(): void {
    this.depth--;
  }

  /** UTF-8 text; bad sequences become U+FFFD. */
  string(): string {
    const end = this.length();
    const text = decodeText(this.bytes, this.pos, end);
    this.pos = end;
    return text;
  }

  /** A copy, so that keeping it does not keep the whole request. */
  byteString(): Uint8Array {
    const end = this.length();
    const copy = new Uint8Array(this.bytes.subarray(this.pos, end));
    this.pos = end;
    return copy;
  }

  /** Lower-case hex of a bytes field. */
  hex(): string {
    const end = this.length();
    const text = this.bytes.toString('hex', this.pos, end);
    this.pos = end;
    return text;
  }

  /** Passes over the field whose tag was just read. */
  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.int64();
        return;
      case 1:
        this.need(8);
        this.pos += 8;
        return;
      case 2:
        this.pos = this.length();
        return;
      case 5:
        this.need(4);
        this.pos += 4;
        return;
      default:
        this.fail(`wire type ${tag & 7} of field ${tag >>> 3}`);
    }
  }

  private need(size: number): void {
    if (this.pos + size > this.bytes.length) this.fail(`${size} bytes needed, ${this.bytes.length - this.pos} left`);
  }
}

const CACHE_SIZE = 8192;
const cached: (string | undefined)[] = new Array(CACHE_SIZE);

/**
 * Text from UTF-8 bytes. Names and label values come again and again, so short ASCII texts are looked up by a hash of
 * their bytes and compared: a hit makes no new string, and equal texts become one object.
 */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > 48) return bytes.toString('utf8', start, end);
  let hash = length;
  let ascii = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    ascii |= byte;
    hash = Math.imul(hash, 31) + byte;
  }
  if (ascii >= 0x80) return bytes.toString('utf8', start, end);
  const slot = (hash ^ (hash >>> 13)) & (CACHE_SIZE - 1);
  const known = cached[slot];
  if (known !== undefined && known.length === length && sameAscii(known, bytes, start)) return known;
  const text = bytes.toString('latin1', start, end);
  cached[slot] = text;
  return text;
}

function sameAscii(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

export function isValidUtf8(bytes: Buffer, start: number, end: number): boolean {
  return isUtf8(bytes.subarray(start, end));
}

/** Writes protobuf: enough for answers and for tests, which build their requests with it. */
export class ProtoWriter {
  private readonly parts: Uint8Array[] = [];

  varint(field: number, value: number | bigint): this {
    return this.raw(varintBytes(field << 3), varintBytes(value));
  }

  fixed64(field: number, value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
    return this.raw(varintBytes((field << 3) | 1), bytes);
  }

  double(field: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return this.raw(varintBytes((field << 3) | 1), bytes);
  }

  bytes(field: number, value: Uint8Array | string | ProtoWriter): this {
    const content =
      value instanceof ProtoWriter ? value.finish() : typeof value === 'string' ? Buffer.from(value) : value;
    return this.raw(varintBytes((field << 3) | 2), varintBytes(content.length), content);
  }

  raw(...bytes: Uint8Array[]): this {
    this.parts.push(...bytes);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function varintBytes(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
