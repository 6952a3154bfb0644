import { createInflate } from 'node:zlib';
import { uncompress, uncompressSync } from 'snappy';
import { gunzipBounded, TooLargeError } from '../../../base/node/index.ts';
import { DecodeError, RefusedRequest, tooLarge } from '../../errors.ts';

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
      return orRefuse('deflate', maxBytes, () => inflateBounded(body, maxBytes));
    default:
      throw new RefusedRequest(415, `content encoding "${encoding}" is not supported: use gzip, deflate or none`);
  }
}

/** Snappy's block format. Its first bytes say how large the content will be, so a bomb is refused unopened. */
export async function unsnappy(body: Buffer, maxBytes: number): Promise<Buffer> {
  const size = announcedSize(body);
  if (size > maxBytes) throw tooLarge(maxBytes);
  // Every element of at most three bytes yields at most 64, so a longer announcement is a lie.
  if (size > body.length * 64)
    throw new DecodeError(`malformed snappy block: ${size} bytes announced in ${body.length}`);
  try {
    const content = body.length < 128 * 1024 ? uncompressSync(body) : await uncompress(body);
    return Buffer.isBuffer(content) ? content : Buffer.from(content);
  } catch (error) {
    throw new DecodeError(`malformed snappy block: ${reasonOf(error)}`);
  }
}

function announcedSize(body: Buffer): number {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    const byte = body[i];
    if (byte === undefined) throw new DecodeError(`malformed snappy block: ends at byte ${i}, inside its length`);
    size += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return size;
  }
  throw new DecodeError('malformed snappy block: its length does not end within 5 bytes');
}

function inflateBounded(body: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const inflate = createInflate();
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

async function orRefuse(name: string, maxBytes: number, work: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooLargeError) throw tooLarge(maxBytes);
    throw new DecodeError(`malformed ${name} body: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
