import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTar, TarError, writeTar } from './tar.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function archive(files: Readonly<Record<string, Uint8Array>>): Promise<Buffer> {
  async function* entries() {
    for (const [path, bytes] of Object.entries(files)) yield { path, bytes: bytes.length, content: pieces(bytes, 300) };
  }
  const out: Uint8Array[] = [];
  for await (const piece of writeTar(entries())) out.push(piece);
  return Buffer.concat(out);
}

async function unpack(bytes: Uint8Array, size = 1000): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for await (const entry of readTar(pieces(bytes, size))) {
    const content: Uint8Array[] = [];
    for await (const piece of entry.content) content.push(piece);
    files[entry.path] = Buffer.concat(content);
  }
  return files;
}

const LONG = `${'folder/'.repeat(15)}${'n'.repeat(90)}.bin`;
const FILES = {
  'a.json': Buffer.from('{}'),
  empty: Buffer.alloc(0),
  [LONG]: Buffer.alloc(70_000, 7),
  block: Buffer.alloc(512, 1),
};

test('what is written is read again, in pieces of any size', async () => {
  const bytes = await archive(FILES);
  for (const size of [1, 511, 512, 5000, bytes.length]) expect(await unpack(bytes, size)).toEqual(FILES);
});

test("the system's tar reads it", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trifocal-tar-'));
  try {
    const file = join(folder, 'x.tar');
    writeFileSync(file, await archive(FILES));
    execFileSync('tar', ['xf', file, '-C', folder]);
    for (const [path, bytes] of Object.entries(FILES)) expect(readFileSync(join(folder, path))).toEqual(bytes);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a file that is longer or shorter than it was said to be ends the archive', async () => {
  async function* entries() {
    yield { path: 'a', bytes: 3, content: pieces(Buffer.from('four'), 2) };
  }
  await expect(
    (async () => {
      for await (const _ of writeTar(entries()));
    })(),
  ).rejects.toThrow('a has 4 bytes instead of 3');
});

test('cut or mutated bytes give the right content or a TarError, never a hang', async () => {
  const bytes = await archive(FILES);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
      const changed = cut ? bytes.subarray(0, at) : Buffer.from(bytes);
      if (!cut) changed[at] = value;
      await unpack(changed).catch((error) => {
        if (!(error instanceof TarError)) throw error;
      });
    }),
  );
  await expect(unpack(bytes.subarray(0, bytes.length - 1024))).rejects.toThrow('cut short');
});
