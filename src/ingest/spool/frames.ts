import { crc32 } from 'node:zlib';
import type { EncodedBlock } from '../../store/index.ts';
import type { RequestMark } from '../sink.ts';

/**
 * A segment is a row of frames: 4 bytes of magic, flags, length of the table's name, 2 bytes unused, length of the block,
 * CRC-32 of name and block; then name and block. An append is one or more frames of which the last is marked; what follows
 * the last marked one after a crash was never acknowledged. A frame under `REQUEST` holds no rows but the hash of the request
 * that brought them, so that both are on disk or neither.
 */
const HEADER_BYTES = 16;
const MAGIC = 0x31534654; // "TFS1"
const LAST_OF_APPEND = 1;
const REQUEST = '#request';

/** The bytes of one append. */
export function encodeAppend(blocks: readonly EncodedBlock[], request?: RequestMark): Buffer[] {
  const frames: Frame[] = request ? [{ table: REQUEST, block: encodeMark(request) }, ...blocks] : [...blocks];
  return frames.flatMap(({ table, block }, i) => {
    const header = Buffer.alloc(HEADER_BYTES + table.length);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt8(i === frames.length - 1 ? LAST_OF_APPEND : 0, 4);
    header.writeUInt8(table.length, 5);
    header.writeUInt32LE(block.length, 8);
    header.write(table, HEADER_BYTES, 'latin1');
    header.writeUInt32LE(crc32(block, crc32(header.subarray(HEADER_BYTES))), 12);
    return [header, block];
  });
}

export interface Frame {
  table: string;
  block: Buffer;
}

export interface Appends {
  /** Rows, in the order in which they came. */
  frames: Frame[];
  /** The requests that brought them, as far as they have an identity. */
  requests: RequestMark[];
  /** How many bytes of the segment are whole appends. */
  bytes: number;
}

/** What the whole appends of a segment hold; a torn or damaged tail is left out. */
export function readAppends(segment: Buffer): Appends {
  const found: Appends = { frames: [], requests: [], bytes: 0 };
  const frames: Frame[] = [];
  const requests: RequestMark[] = [];
  for (let at = 0; segment.length - at >= HEADER_BYTES; ) {
    const nameLength = segment.readUInt8(at + 5);
    const nameAt = at + HEADER_BYTES;
    const blockAt = nameAt + nameLength;
    const end = blockAt + segment.readUInt32LE(at + 8);
    if (segment.readUInt32LE(at) !== MAGIC || end > segment.length) break;
    if (crc32(segment.subarray(nameAt, end)) !== segment.readUInt32LE(at + 12)) break;
    const table = segment.toString('latin1', nameAt, blockAt);
    const block = segment.subarray(blockAt, end);
    if (table !== REQUEST) frames.push({ table, block });
    else if (block.length === MARK_BYTES) requests.push(decodeMark(block));
    if (segment.readUInt8(at + 4) & LAST_OF_APPEND) {
      for (const frame of frames.splice(0)) found.frames.push(frame);
      for (const request of requests.splice(0)) found.requests.push(request);
      found.bytes = end;
    }
    at = end;
  }
  return found;
}

const HASH_BYTES = 16;
/** The hash, then the time in ms as a double. */
export const MARK_BYTES = HASH_BYTES + 8;

export function encodeMark({ hash, atMs }: RequestMark): Buffer {
  const bytes = Buffer.alloc(MARK_BYTES);
  bytes.set(hash.subarray(0, HASH_BYTES));
  bytes.writeDoubleLE(atMs, HASH_BYTES);
  return bytes;
}

/** Keeps nothing of `bytes` alive. */
export function decodeMark(bytes: Buffer): RequestMark {
  return { hash: Uint8Array.from(bytes.subarray(0, HASH_BYTES)), atMs: bytes.readDoubleLE(HASH_BYTES) };
}
