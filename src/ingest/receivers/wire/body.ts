import { createInflate, createInflateRaw } from 'node:zlib';
import { uncompress } from 'snappy';
import { gunzipBounded, TooLargeError } from '../../../base/node/index.ts';
import { DecodeError, RefusedRequest, tooLarge } from '../../errors.ts';
import { createTurns } from '../../turns.ts';
import { announcedSize, unpackBlock } from './snappy-block.ts';
import { unzstd } from './zstd.ts';

/**
 * Undoes a request's `Content-Encoding`, holding at most `maxBytes` of the result. Throws RefusedRequest for an
 * encoding that is not known or a body that gets too large, DecodeError for damaged data.
 */
export async function decompress(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case '':
    case 'identity':
      return body;
    case 'gzip':
    case 'x-gzip':
      return orRefuse('gzip', maxBytes, () => gunzipBounded(body, maxBytes));
    case 'deflate':
    case 'zlib':
      return orRefuse('deflate', maxBytes, () => inflateBounded(body, maxBytes));
    case 'zstd':
      return orRefuse('zstd', maxBytes, () => unzstd(body, maxBytes, createTurns()));
    case 'snappy':
    case 'x-snappy-framed':
      return isFramed(body) ? unsnappyFrames(body, maxBytes) : unsnappy(body, maxBytes);
    default:
      throw new RefusedRequest(
        415,
        `content encoding "${encoding}" is not supported: use gzip, zstd, deflate, snappy or none`,
      );
  }
}

/**
 * Runs `work` on the content of a block in snappy's format. The content's memory is used again afterwards: `work` keeps no part
 * of it. The block's first bytes say how large the content will be, so a bomb is refused unopened.
 */
export async function withUnsnappied<T>(
  block: Buffer,
  maxBytes: number,
  work: (content: Buffer) => Promise<T>,
): Promise<T> {
  if (block.length > LARGE_BLOCK) return work(await unsnappy(block, maxBytes));
  const { size, start } = boundedSize(block, maxBytes);
  const memory = size <= SPARE_BYTES ? (spare.pop() ?? Buffer.allocUnsafeSlow(SPARE_BYTES)) : Buffer.allocUnsafe(size);
  try {
    unpackBlock(block, start, memory, size);
    return await work(memory.subarray(0, size));
  } finally {
    if (memory.length === SPARE_BYTES && spare.length < MAX_SPARE) spare.push(memory);
  }
}

/** Content that is used and forgotten a thousand times a second is dear for the garbage collector, since it lies outside of its heap. */
const SPARE_BYTES = 1024 * 1024;
const MAX_SPARE = 16;
const spare: Buffer[] = [];
/** What takes longer than a turn is unpacked by another thread. */
const LARGE_BLOCK = 512 * 1024;

/** The content of a block in snappy's format, in memory of its own. */
async function unsnappy(block: Buffer, maxBytes: number): Promise<Buffer> {
  const { size, start } = boundedSize(block, maxBytes);
  if (block.length <= LARGE_BLOCK) {
    const content = Buffer.allocUnsafe(size);
    unpackBlock(block, start, content, size);
    return content;
  }
  try {
    const content = await uncompress(block);
    return Buffer.isBuffer(content) ? content : Buffer.from(content);
  } catch (error) {
    throw new DecodeError(`malformed snappy block: ${reasonOf(error)}`);
  }
}

function boundedSize(block: Buffer, maxBytes: number): { size: number; start: number } {
  const announced = announcedSize(block);
  if (announced.size > maxBytes) throw tooLarge(maxBytes);
  // Every element of at most three bytes yields at most 64, so a longer announcement is a lie.
  if (announced.size > block.length * 64)
    throw new DecodeError(`malformed snappy block: ${announced.size} bytes announced in ${block.length}`);
  return announced;
}

/** The stream identifier, with which every framed stream begins. */
const FRAMED = Buffer.from('\xff\x06\x00\x00sNaPpY', 'latin1');

function isFramed(body: Buffer): boolean {
  return body.subarray(0, FRAMED.length).equals(FRAMED);
}

/**
 * Snappy's framing format, as OpenTelemetry's Collector sends it: chunks of at most 64 kB, each a block or plain.
 * Checksums are not looked at.
 */
async function unsnappyFrames(body: Buffer, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const turns = createTurns();
  let size = 0;
  for (let pos = 0; pos < body.length; ) {
    const content = pos + 4;
    const end = content <= body.length ? content + body.readUIntLE(pos + 1, 3) : Number.POSITIVE_INFINITY;
    if (end > body.length) throw new DecodeError(`malformed snappy stream at byte ${pos}: it ends inside a chunk`);
    const kind = body[pos] ?? 0;
    if (kind <= 1) {
      if (end - content < 4) throw new DecodeError(`malformed snappy stream at byte ${pos}: a chunk without checksum`);
      const data = body.subarray(content + 4, end);
      const part = kind === 1 ? data : await unsnappy(data, Math.min(LARGEST_CHUNK, maxBytes - size));
      size += part.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    } else if (kind < 0x80) {
      throw new DecodeError(`malformed snappy stream at byte ${pos}: chunk type ${kind}`);
    }
    pos = end;
    if (turns.over()) await turns.next();
  }
  return Buffer.concat(parts, size);
}

const LARGEST_CHUNK = 65_536;

function inflateBounded(body: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Some leave out the zlib header: what HTTP calls deflate has always been sent both ways.
    const inflate = hasZlibHeader(body) ? createInflate() : createInflateRaw();
    inflate.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        inflate.destroy();
        reject(new TooLargeError(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    inflate.on('end', () => resolve(Buffer.concat(chunks, size)));
    inflate.on('error', reject);
    inflate.end(body);
  });
}

function hasZlibHeader(body: Buffer): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

async function orRefuse(name: string, maxBytes: number, work: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooLargeError) throw tooLarge(maxBytes);
    if (error instanceof DecodeError) throw error;
    throw new DecodeError(`malformed ${name} body: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
