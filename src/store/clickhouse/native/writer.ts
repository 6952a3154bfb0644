/** Bytes that grow. Only what ClickHouse's Native format needs. */
export class ByteWriter {
  private bytes: Buffer;
  private at = 0;

  constructor(capacity = 256) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.at;
  }

  /** What was written so far; valid until the next write. */
  written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.bytes.writeUInt32LE(value >>> 0, this.at);
    this.at += 4;
  }

  /** A whole number up to 2^53, as 64 bits in two's complement. */
  int64(value: number): void {
    this.reserve(8);
    this.bytes.writeUInt32LE(value >>> 0, this.at);
    this.bytes.writeInt32LE(Math.floor(value / 2 ** 32), this.at + 4);
    this.at += 8;
  }

  bigint64(value: bigint): void {
    this.reserve(8);
    this.bytes.writeBigInt64LE(BigInt.asIntN(64, value), this.at);
    this.at += 8;
  }

  float64(value: number): void {
    this.reserve(8);
    this.bytes.writeDoubleLE(value, this.at);
    this.at += 8;
  }

  varint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes what lies at `start` to `end` once more. */
  repeat(start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.copyWithin(this.at, start, end);
    this.at += end - start;
  }

  /** Length, then UTF-8. */
  text(text: string): void {
    const { length } = text;
    if (length < SHORT && this.shortAscii(text, length)) return;
    const size = Buffer.byteLength(text);
    this.varint(size);
    this.reserve(size);
    this.bytes.write(text, this.at, size, 'utf8');
    this.at += size;
  }

  /** Lower or upper case hex as `size` bytes; zeros when the text is empty or has another length. */
  hex(text: string, size: number): void {
    this.reserve(size);
    if (text.length === size * 2 && this.bytes.write(text, this.at, size, 'hex') === size) this.at += size;
    else {
      this.bytes.fill(0, this.at, this.at + size);
      this.at += size;
    }
  }

  /** A call into the engine's encoder costs more than a loop over few characters. */
  private shortAscii(text: string, length: number): boolean {
    this.reserve(length + 1);
    const { bytes, at } = this;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      bytes[at + 1 + i] = code;
    }
    bytes[at] = length;
    this.at = at + 1 + length;
    return true;
  }

  private reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

/** Longer texts are handed to the engine's encoder; below 128, so that the length is one byte. */
const SHORT = 32;
