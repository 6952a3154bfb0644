import { crc32 } from 'node:zlib';
import type { EncodedBlock } from '../../store/index.ts';

/**
 * A segment is a row of frames: 4 bytes of magic, flags, length of the table's name, 2 bytes unused, length of the block,
 * CRC-32 of name and block; then name and block. An append is one or more frames of which the last is marked; what follows
 * the last marked one after a crash was never acknowledged.
 */
const HEADER_BYTES = 16;
const MAGIC = 0x31534654; // "TFS1"
const LAST_OF_APPEND = 1;

/** The bytes of one append. */
export function encodeAppend(blocks: readonly EncodedBlock[]): Buffer[] {
  return blocks.flatMap(({ table, block }, i) => {
    const header = Buffer.alloc(HEADER_BYTES + table.length);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt8(i === blocks.length - 1 ? LAST_OF_APPEND : 0, 4);
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

/** The frames of all whole appends, and how many bytes they take; a torn or damaged tail is left out. */
export function readAppends(segment: Buffer): { frames: Frame[]; bytes: number } {
  const frames: Frame[] = [];
  let whole = { frames: 0, bytes: 0 };
  for (let at = 0; segment.length - at >= HEADER_BYTES; ) {
    const nameLength = segment.readUInt8(at + 5);
    const nameAt = at + HEADER_BYTES;
    const blockAt = nameAt + nameLength;
    const end = blockAt + segment.readUInt32LE(at + 8);
    if (segment.readUInt32LE(at) !== MAGIC || end > segment.length) break;
    if (crc32(segment.subarray(nameAt, end)) !== segment.readUInt32LE(at + 12)) break;
    frames.push({ table: segment.toString('latin1', nameAt, blockAt), block: segment.subarray(blockAt, end) });
    if (segment.readUInt8(at + 4) & LAST_OF_APPEND) whole = { frames: frames.length, bytes: end };
    at = end;
  }
  return { frames: frames.slice(0, whole.frames), bytes: whole.bytes };
}
