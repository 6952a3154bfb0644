/** A file of an archive; `content` has exactly `bytes` bytes and is read before the next entry. */
export interface TarEntry {
  path: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

/** The bytes are not an archive, or not a whole one. */
export class TarError extends Error {
  override name = 'TarError';
}

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/** A POSIX.1-1988 (ustar) archive of plain files, as it is made; sizes beyond 8 GiB in GNU tar's binary form. */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, content } of entries) {
    yield header(path, bytes);
    let written = 0;
    for await (const piece of content) {
      written += piece.length;
      yield piece;
    }
    if (written !== bytes) throw new TarError(`${path} has ${written} bytes instead of ${bytes}`);
    const rest = bytes % BLOCK;
    if (rest > 0) yield Buffer.alloc(BLOCK - rest);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** The files of an archive one after the other, with bounded memory. Throws TarError for what is no whole archive. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = byteReader(source);
  for (;;) {
    const block = await input.exactly(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const { path, bytes } = parseHeader(block);
    let left = bytes;
    async function* content(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await input.upTo(left);
        left -= piece.length;
        yield piece;
      }
    }
    yield { path, bytes, content: content() };
    while (left > 0) left -= (await input.upTo(left)).length; // what the reader did not want
    if (bytes % BLOCK > 0) await input.exactly(BLOCK - (bytes % BLOCK));
  }
}

function header(path: string, bytes: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(path);
  block.write(name, 0, 'utf8');
  block.write('0000644\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  if (bytes < 8 ** 11) block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(bytes), 128);
  }
  block.write('00000000000\0', 136, 'latin1');
  block.write('0', 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(prefix, 345, 'utf8');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const prefix = path.slice(0, at);
    const name = path.slice(at + 1);
    if (Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) return { name, prefix };
  }
  throw new TarError(`the path is too long for an archive: ${path}`);
}

function parseHeader(block: Buffer): { path: string; bytes: number } {
  if (block.toString('latin1', 257, 262) !== 'ustar' || octal(block, 148, 8) !== checksum(block)) {
    throw new TarError('damaged: a header of the archive is not as it was written');
  }
  const prefix = text(block, 345, PREFIX_BYTES);
  const name = text(block, 0, NAME_BYTES);
  const bytes = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : octal(block, 124, 12);
  if (!Number.isSafeInteger(bytes)) throw new TarError('damaged: a header of the archive has no size');
  return { path: prefix === '' ? name : `${prefix}/${name}`, bytes };
}

/** The sum of all bytes with the checksum's own field taken as spaces. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

function text(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end === -1 ? at + length : Math.min(end, at + length));
}

function octal(block: Buffer, at: number, length: number): number {
  return Number.parseInt(text(block, at, length).trim(), 8);
}

function byteReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  const more = async () => {
    while (rest.length === 0) {
      const next = await pieces.next();
      if (next.done) throw new TarError('cut short: the archive ends before its end mark');
      rest = next.value;
    }
  };
  const upTo = async (count: number): Promise<Uint8Array> => {
    await more();
    const piece = rest.subarray(0, count);
    rest = rest.subarray(piece.length);
    return piece;
  };
  return {
    upTo,
    async exactly(count: number): Promise<Buffer> {
      const whole = Buffer.alloc(count);
      for (let at = 0; at < count; ) {
        const piece = await upTo(count - at);
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
  };
}
