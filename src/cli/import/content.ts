import { createReadStream, statSync } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A file's content, unzipped when it is gzip, read with bounded memory. */
export interface Content {
  /** Bytes of the file that were read so far. */
  read(): number;
  /** Of the file, as it lies on the disk. */
  size: number;
  /** The beginning, as far as it was asked for; everything comes again in `pieces`. */
  head(bytes: number): Promise<Buffer>;
  pieces(): AsyncGenerator<Buffer>;
  close(): void;
}

export function openContent(file: string): Content {
  const { size } = statSync(file);
  let read = 0;
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const counted = source.pipe(
    new Transform({
      transform(piece: Buffer, _encoding, done) {
        read += piece.length;
        done(null, piece);
      },
    }),
  );
  source.on('error', (error) => counted.destroy(error));
  const raw = counted[Symbol.asyncIterator]() as AsyncIterator<Buffer>; // a stream of bytes gives buffers
  const held: Buffer[] = [];
  let pieces: AsyncIterator<Buffer> | undefined;

  const unzipped = async (): Promise<AsyncIterator<Buffer>> => {
    if (pieces) return pieces;
    const first = await raw.next();
    const beginning = first.done ? Buffer.alloc(0) : first.value;
    async function* again(): AsyncGenerator<Buffer> {
      yield beginning;
      for (let next = await raw.next(); !next.done; next = await raw.next()) yield next.value;
    }
    pieces = beginning[0] === 0x1f && beginning[1] === 0x8b ? gunzip(again()) : again();
    return pieces;
  };

  return {
    read: () => read,
    size,
    async head(bytes) {
      const from = await unzipped();
      let length = held.reduce((sum, piece) => sum + piece.length, 0);
      while (length < bytes) {
        const next = await from.next();
        if (next.done) break;
        held.push(next.value);
        length += next.value.length;
      }
      return Buffer.concat(held).subarray(0, bytes);
    },
    async *pieces() {
      const from = await unzipped();
      yield* held.splice(0);
      for (let next = await from.next(); !next.done; next = await from.next()) yield next.value;
    },
    close: () => {
      source.destroy();
      counted.destroy();
    },
  };
}

async function* gunzip(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(pieces);
  const unzip = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  yield* source.pipe(unzip);
}
