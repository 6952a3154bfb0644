import { TooLargeError } from '../../../base/node/index.ts';
import { DecodeError } from '../../errors.ts';
import type { Turns } from '../../turns.ts';

/**
 * Zstandard, holding at most `maxBytes` of the result. Frames and blocks are walked here (RFC 8878, section 3), so that
 * nothing is unpacked before its size is known to be possible, and each turn unpacks a few blocks. Checksums are not
 * looked at. Throws TooLargeError, or DecodeError for damaged data.
 */
export async function unzstd(body: Buffer, maxBytes: number, turns: Turns): Promise<Buffer> {
  // Loaded by the first who needs it: most senders use gzip.
  const { Decompress } = await import('fzstd');
  const chunks: Uint8Array[] = [];
  let size = 0;
  let work = 0;
  for (let pos = 0; pos < body.length; ) {
    const frame = readFrameHeader(body, pos);
    if (frame === undefined) {
      pos = skippableEnd(body, pos);
      continue;
    }
    if (frame.contentBytes > maxBytes - size || frame.windowBytes > Math.max(maxBytes, LARGEST_WINDOW)) {
      throw new TooLargeError(maxBytes);
    }
    const unpack = new Decompress((chunk) => {
      size += chunk.length;
      if (size > maxBytes) throw new TooLargeError(maxBytes);
      if (chunk.length > 0) chunks.push(chunk);
    });
    let begin = pos;
    for (let at = frame.blocksAt, last = false; !last; begin = at) {
      const header = byteAt(body, at) | (byteAt(body, at + 1) << 8) | (byteAt(body, at + 2) << 16);
      last = (header & 1) === 1;
      const isRepeated = ((header >>> 1) & 3) === 1;
      at += 3 + (isRepeated ? 1 : header >>> 3) + (last && frame.hasChecksum ? 4 : 0);
      if (at > body.length) throw truncated(body);
      // Each block, even an empty one, moves the whole window.
      work += frame.windowBytes;
      if (work > MOST_WORK) throw new TooLargeError(maxBytes);
      push(unpack, body.subarray(begin, at), last);
      if (turns.over()) await turns.next();
    }
    pos = begin;
  }
  return Buffer.concat(chunks, size);
}

/** What encoders use by default at any level that makes sense on the wire. */
const LARGEST_WINDOW = 8 * 1024 * 1024;
/** Bytes moved for one body: three times what 20 MB with the largest window need. */
const MOST_WORK = 4 * 1024 ** 3;

interface FrameHeader {
  windowBytes: number;
  /** 0 when it is not known. */
  contentBytes: number;
  hasChecksum: boolean;
  blocksAt: number;
}

/** Undefined for a skippable frame. */
function readFrameHeader(body: Buffer, start: number): FrameHeader | undefined {
  if (start + 5 > body.length) throw truncated(body);
  const magic = body.readUInt32LE(start);
  if (magic >>> 4 === 0x184d2a5) return undefined;
  if (magic !== 0xfd2fb528) throw new DecodeError(`malformed zstd body at byte ${start}: no frame begins here`);
  const descriptor = byteAt(body, start + 4);
  if ((descriptor & 3) !== 0) throw new DecodeError('malformed zstd body: it needs a dictionary');
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0;
  const sizeAt = start + (isSingleSegment ? 5 : 6);
  if (sizeAt + sizeBytes > body.length) throw truncated(body);
  let contentBytes = sizeBytes === 2 ? 256 : 0;
  for (let i = 0; i < sizeBytes; i++) contentBytes += byteAt(body, sizeAt + i) * 2 ** (8 * i);
  const window = byteAt(body, start + 5);
  const base = 2 ** (10 + (window >>> 3));
  return {
    windowBytes: isSingleSegment ? contentBytes : base + (base / 8) * (window & 7),
    contentBytes,
    hasChecksum: (descriptor & 4) !== 0,
    blocksAt: sizeAt + sizeBytes,
  };
}

function skippableEnd(body: Buffer, start: number): number {
  if (start + 8 > body.length) throw truncated(body);
  const end = start + 8 + body.readUInt32LE(start + 4);
  if (end > body.length) throw truncated(body);
  return end;
}

function push(unpack: { push(chunk: Uint8Array, final: boolean): void }, piece: Uint8Array, last: boolean): void {
  try {
    unpack.push(piece, last);
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    throw new DecodeError(`malformed zstd body: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function byteAt(body: Buffer, at: number): number {
  const byte = body[at];
  if (byte === undefined) throw truncated(body);
  return byte;
}

function truncated(body: Buffer): DecodeError {
  return new DecodeError(`malformed zstd body: ends at byte ${body.length}, inside a frame`);
}
