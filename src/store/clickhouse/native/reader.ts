/**
 * Bytes that arrive in pieces. Decoders are generators over it: they yield the number of bytes they need ahead and are
 * resumed once those are there, so one decoder serves streams and whole buffers, and no byte is looked at twice.
 */
export class ByteReader {
  buffer: Buffer = Buffer.alloc(0);
  at = 0;

  /** Bytes not read yet. */
  get left(): number {
    return this.buffer.length - this.at;
  }

  append(pieces: readonly Buffer[]): void {
    const rest = this.buffer.subarray(this.at);
    this.buffer = rest.length === 0 && pieces[0] && pieces.length === 1 ? pieces[0] : Buffer.concat([rest, ...pieces]);
    this.at = 0;
  }

  /** Needs no more than ten bytes ahead, or the end of the number within what is there. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.buffer[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  /** Whether a whole variable-length number lies ahead. */
  hasVarint(): boolean {
    for (let i = this.at; i < this.buffer.length; i++) if ((this.buffer[i] ?? 0) < 0x80) return true;
    return false;
  }

  uint64(): number {
    const value = this.buffer.readUInt32LE(this.at) + this.buffer.readUInt32LE(this.at + 4) * 2 ** 32;
    this.at += 8;
    return value;
  }

  /** A copy of the next `length` bytes in memory of its own, so aligned for any typed array. */
  take(length: number): ArrayBuffer {
    const copy = new Uint8Array(length);
    copy.set(this.buffer.subarray(this.at, this.at + length));
    this.at += length;
    return copy.buffer;
  }

  text(length: number): string {
    const text = this.buffer.toString('utf8', this.at, this.at + length);
    this.at += length;
    return text;
  }
}

/** A decoding step: yields how many bytes it needs ahead, returns what it decoded. */
export type Decoding<T> = Generator<number, T, void>;

/** Waits until `bytes` lie ahead. */
export function* need(reader: ByteReader, bytes: number): Decoding<void> {
  while (reader.left < bytes) yield bytes;
}

export function* readVarint(reader: ByteReader): Decoding<number> {
  while (!reader.hasVarint()) yield reader.left + 1;
  return reader.varint();
}

export function* readText(reader: ByteReader): Decoding<string> {
  const length = yield* readVarint(reader);
  yield* need(reader, length);
  return reader.text(length);
}
