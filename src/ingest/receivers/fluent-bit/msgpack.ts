import type { AttributeValue } from '../../../model/index.ts';
import { DecodeError, decodeText, escapeInvalidUtf8 } from '../wire/index.ts';

/**
 * Reads MessagePack values from one buffer without a schema. Sizes are checked against what is left and nesting is
 * bounded, so a short body cannot ask for much memory. Texts that are not UTF-8 keep their bytes as `\xNN`. Throws
 * DecodeError only.
 */
export class MsgpackReader {
  pos = 0;
  private readonly bytes: Buffer;
  private depth = 0;
  private lastApart: Buffer | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  more(): boolean {
    return this.pos < this.bytes.length;
  }

  /** The length of an array, which must be next. */
  arrayLength(): number {
    const at = this.pos;
    const code = this.unsigned(1);
    const length =
      (code & 0xf0) === 0x90 ? code & 0x0f : code === 0xdc ? this.unsigned(2) : code === 0xdd ? this.unsigned(4) : -1;
    if (length < 0) this.fail('expected an array', at);
    return length;
  }

  /** Goes to the end of the value at `start`, whatever was read of it. */
  passFrom(start: number): void {
    this.pos = start;
    this.depth = 0;
    this.pass();
  }

  /** Whether an array is next. */
  isArray(): boolean {
    const code = this.bytes[this.pos] ?? 0;
    return (code & 0xf0) === 0x90 || code === 0xdc || code === 0xdd;
  }

  value(): AttributeValue {
    const at = this.pos;
    const code = this.unsigned(1);
    if (code < 0x80) return BigInt(code);
    if (code >= 0xe0) return BigInt(code - 0x100);
    if (code < 0x90) return this.map(code & 0x0f);
    if (code < 0xa0) return this.array(code & 0x0f);
    if (code < 0xc0) return this.text(code & 0x1f);
    switch (code) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.binary(this.unsigned(1));
      case 0xc5:
        return this.binary(this.unsigned(2));
      case 0xc6:
        return this.binary(this.unsigned(4));
      case 0xc7:
        return this.extension(this.unsigned(1));
      case 0xc8:
        return this.extension(this.unsigned(2));
      case 0xc9:
        return this.extension(this.unsigned(4));
      case 0xca:
        return this.bytes.readFloatBE(this.take(4));
      case 0xcb:
        return this.bytes.readDoubleBE(this.take(8));
      case 0xcc:
        return BigInt(this.unsigned(1));
      case 0xcd:
        return BigInt(this.unsigned(2));
      case 0xce:
        return BigInt(this.unsigned(4));
      case 0xcf:
        return this.bytes.readBigUInt64BE(this.take(8));
      case 0xd0:
        return BigInt(this.bytes.readInt8(this.take(1)));
      case 0xd1:
        return BigInt(this.bytes.readInt16BE(this.take(2)));
      case 0xd2:
        return BigInt(this.bytes.readInt32BE(this.take(4)));
      case 0xd3:
        return this.bytes.readBigInt64BE(this.take(8));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.extension(1 << (code - 0xd4));
      case 0xd9:
        return this.text(this.unsigned(1));
      case 0xda:
        return this.text(this.unsigned(2));
      case 0xdb:
        return this.text(this.unsigned(4));
      case 0xdc:
        return this.array(this.unsigned(2));
      case 0xdd:
        return this.array(this.unsigned(4));
      case 0xde:
        return this.map(this.unsigned(2));
      case 0xdf:
        return this.map(this.unsigned(4));
      default:
        return this.fail(`no value begins with 0x${code.toString(16)}`, at);
    }
  }

  /**
   * The entries of a map, which must be next; the value of `apart` is passed over, and its bytes are given instead: the
   * same buffer as the last time if they are the same bytes.
   */
  entries(apart: string): { entries: Map<string, AttributeValue>; bytes: Buffer | undefined } {
    const at = this.pos;
    const code = this.unsigned(1);
    const pairs =
      (code & 0xf0) === 0x80 ? code & 0x0f : code === 0xde ? this.unsigned(2) : code === 0xdf ? this.unsigned(4) : -1;
    if (pairs < 0) this.fail('expected a map', at);
    this.enter(pairs * 2);
    const entries = new Map<string, AttributeValue>();
    let bytes: Buffer | undefined;
    for (let i = 0; i < pairs; i++) {
      const name = this.key();
      if (name === apart) {
        bytes = this.passBytes();
      } else entries.set(name, this.value());
    }
    this.depth--;
    return { entries, bytes };
  }

  fail(what: string, at = this.pos): never {
    throw new DecodeError(`malformed MessagePack at byte ${at}: ${what}`);
  }

  private map(pairs: number): AttributeValue {
    this.enter(pairs * 2);
    const entries = new Map<string, AttributeValue>();
    for (let i = 0; i < pairs; i++) {
      const name = this.key();
      entries.set(name, this.value());
    }
    this.depth--;
    return { kind: 'map', entries };
  }

  private key(): string {
    const key = this.value();
    return typeof key === 'string' ? key : typeof key === 'bigint' || typeof key === 'number' ? String(key) : '';
  }

  private passBytes(): Buffer {
    const start = this.pos;
    const last = this.lastApart;
    if (last !== undefined && start + last.length <= this.bytes.length) {
      if (this.bytes.compare(last, 0, last.length, start, start + last.length) === 0) {
        this.pos += last.length;
        return last;
      }
    }
    this.pass();
    this.lastApart = this.bytes.subarray(start, this.pos);
    return this.lastApart;
  }

  /** Goes to the end of the next value without looking into it. */
  private pass(): void {
    for (let left = 1; left > 0; left--) {
      const code = this.unsigned(1);
      if (code < 0x80 || code >= 0xe0) continue;
      if (code < 0x90) left += 2 * (code & 0x0f);
      else if (code < 0xa0) left += code & 0x0f;
      else if (code < 0xc0) this.take(code & 0x1f);
      else if (code === 0xdc || code === 0xdd) left += this.unsigned(code === 0xdc ? 2 : 4);
      else if (code === 0xde || code === 0xdf) left += 2 * this.unsigned(code === 0xde ? 2 : 4);
      else {
        this.pos--;
        this.value();
      }
    }
  }

  private array(length: number): AttributeValue {
    this.enter(length);
    const items: AttributeValue[] = [];
    for (let i = 0; i < length; i++) items.push(this.value());
    this.depth--;
    return items;
  }

  private text(size: number): string {
    const start = this.take(size);
    const text = decodeText(this.bytes, start, start + size);
    // The decoder's replacement may also be a character that the sender wrote.
    if (!text.includes('\ufffd')) return text;
    return escapeInvalidUtf8(this.bytes.subarray(start, start + size), { inJson: false }).toString('utf8');
  }

  private binary(size: number): Uint8Array {
    const start = this.take(size);
    return new Uint8Array(this.bytes.subarray(start, start + size)); // a copy, so that it does not keep the whole body
  }

  /** Fluent's EventTime (type 0) as nanoseconds; other extensions as their bytes. */
  private extension(size: number): AttributeValue {
    const type = this.unsigned(1);
    if (type !== 0 || size !== 8) return this.binary(size);
    const start = this.take(8);
    return BigInt(this.bytes.readUInt32BE(start)) * 1_000_000_000n + BigInt(this.bytes.readUInt32BE(start + 4));
  }

  private enter(values: number): void {
    if (values > this.bytes.length - this.pos)
      this.fail(`${values} values announced, ${this.bytes.length - this.pos} bytes left`);
    if (++this.depth > MAX_DEPTH) this.fail(`values nested more than ${MAX_DEPTH} deep`);
  }

  private unsigned(size: 1 | 2 | 4): number {
    const start = this.take(size);
    return this.bytes.readUIntBE(start, size);
  }

  private take(size: number): number {
    const start = this.pos;
    if (size > this.bytes.length - start) this.fail(`${size} bytes needed, ${this.bytes.length - start} left`);
    this.pos += size;
    return start;
  }
}

const MAX_DEPTH = 64;
