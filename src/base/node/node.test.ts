import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  appendDurably,
  FolderLockedError,
  gunzipBounded,
  lockFolder,
  TooLargeError,
  writeFileDurably,
} from './index.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trifocal-base-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder is locked once, and free again after release', async () => {
  const lock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError);
  lock.release();
  (await lockFolder(folder)).release();
});

test('a lock of a process that is gone is taken over, also when its id runs again', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  for (const stale of [`${gone} 123\n`, `${process.pid} 1\n`, '', 'garbage\n']) {
    writeFileSync(join(folder, 'lock'), stale);
    (await lockFolder(folder)).release();
  }
});

test('gunzip stops at its bound and reports bad data', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  expect(bomb.length).toBeLessThan(60_000);
  await expect(gunzipBounded(bomb, 1_000_000)).rejects.toThrow(TooLargeError);
  await expect(gunzipBounded(Buffer.from('not gzip'), 1000)).rejects.toThrow();
  await expect(gunzipBounded(gzipSync('whole').subarray(0, 15), 1000)).rejects.toThrow();
  expect((await gunzipBounded(gzipSync('hello'), 5)).toString()).toBe('hello');
});

test('files are replaced and appended to', async () => {
  const path = join(folder, 'file');
  await writeFileDurably(path, 'one');
  await writeFileDurably(path, 'two');
  await appendDurably(path, '+three');
  expect(readFileSync(path, 'utf8')).toBe('two+three');
});
