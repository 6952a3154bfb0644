import { createGunzip } from 'node:zlib';

/** More bytes came out than were allowed. Nothing beyond the bound was kept in memory. */
export class TooLargeError extends Error {
  override name = 'TooLargeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes after decompression`);
    this.maxBytes = maxBytes;
  }
}

/** Unpacks gzip without ever holding more than `maxBytes`. Throws TooLargeError, or zlib's error for bad data. */
export function gunzipBounded(input: Uint8Array, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const gunzip = createGunzip();
    gunzip.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        gunzip.destroy();
        reject(new TooLargeError(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    gunzip.on('end', () => resolve(Buffer.concat(chunks, size)));
    gunzip.on('error', reject);
    gunzip.end(input);
  });
}
