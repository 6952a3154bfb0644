import { DecodeError } from '../../errors.ts';

/** The size of the content that a block of snappy's format announces, and where its elements begin. */
export function announcedSize(block: Uint8Array): { size: number; start: number } {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block[i];
    if (byte === undefined) throw new DecodeError(`malformed snappy block: ends at byte ${i}, inside its length`);
    size += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { size, start: i + 1 };
  }
  throw new DecodeError('malformed snappy block: its length does not end within 5 bytes');
}

/**
 * Unpacks the elements of a block (github.com/google/snappy, format_description.txt) into the first `size` bytes of `output`,
 * which may hold anything before. Throws DecodeError for what is damaged; reads and writes nothing outside.
 */
export function unpackBlock(block: Uint8Array, start: number, output: Uint8Array, size: number): void {
  const end = block.length;
  let from = start;
  let to = 0;
  while (from < end) {
    const tag = block[from++] ?? 0;
    const kind = tag & 3;
    let length = (tag >>> 2) + 1;
    if (kind === LITERAL) {
      if (length > 60) {
        const bytes = length - 60;
        length = littleEndian(block, from, bytes) + 1;
        from += bytes;
      }
      if (length > end - from) throw malformed(from, 'ends inside a literal');
      if (length > size - to) throw malformed(from, 'holds more than it announced');
      if (length < WORTH_A_CALL) for (let i = 0; i < length; i++) output[to + i] = block[from + i] ?? 0;
      else output.set(block.subarray(from, from + length), to);
      from += length;
    } else {
      let offset: number;
      if (kind === COPY_1) {
        length = ((tag >>> 2) & 7) + 4;
        offset = ((tag >>> 5) << 8) | (block[from] ?? 0);
        from++;
      } else {
        offset = (block[from] ?? 0) | ((block[from + 1] ?? 0) << 8);
        if (kind === COPY_4) offset = (offset | ((block[from + 2] ?? 0) << 16) | ((block[from + 3] ?? 0) << 24)) >>> 0;
        from += kind === COPY_4 ? 4 : 2;
      }
      if (from > end) throw malformed(end, 'ends inside a copy');
      if (offset === 0 || offset > to)
        throw malformed(from, `copies from ${offset} bytes back, and only ${to} are there`);
      if (length > size - to) throw malformed(from, 'holds more than it announced');
      const source = to - offset;
      // What overlaps repeats itself, so it goes byte by byte.
      if (length < WORTH_A_CALL || offset < length)
        for (let i = 0; i < length; i++) output[to + i] = output[source + i] ?? 0;
      else output.copyWithin(to, source, source + length);
    }
    to += length;
  }
  if (to !== size) throw malformed(end, `holds ${to} bytes and announced ${size}`);
}

const LITERAL = 0;
const COPY_1 = 1;
const COPY_4 = 3;
/** From here on a call into the runtime is faster than a loop. */
const WORTH_A_CALL = 24;

function littleEndian(block: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > block.length) throw malformed(block.length, 'ends inside an element');
  let value = 0;
  for (let i = 0; i < bytes; i++) value += (block[at + i] ?? 0) * 2 ** (8 * i);
  return value;
}

function malformed(at: number, what: string): DecodeError {
  return new DecodeError(`malformed snappy block at byte ${at}: it ${what}`);
}
