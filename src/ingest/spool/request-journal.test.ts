import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { WINDOW_MS } from '../identity/index.ts';
import type { RequestMark } from '../sink.ts';
import { openRequestJournal } from './request-journal.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-journal-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const clock = manualClock(1_800_000_000_000);
const open = (maxRequests = 100) => openRequestJournal({ folder, clock, logger: silentLogger, maxRequests });
const mark = (number: number, ageMs = 0): RequestMark => ({
  hash: new Uint8Array(16).fill(number),
  atMs: clock.now() - ageMs,
});
const file = () => join(folder, 'requests');

test('another process reads what was added, without what is too old', async () => {
  const journal = await open();
  await journal.add([mark(1, WINDOW_MS + 1), mark(2, 5000)]);
  await journal.add([mark(3)]);
  expect(await journal.read()).toEqual([mark(2, 5000), mark(3)]);
  expect(await (await open()).read()).toEqual([mark(2, 5000), mark(3)]);
});

test('a torn or damaged end is cut off, and what is added then is found', async () => {
  const journal = await open();
  await journal.add([mark(1), mark(2)]);
  const whole = await readFile(file());
  for (const damage of [
    () => appendFile(file(), whole.subarray(0, 11)),
    () => writeFile(file(), Buffer.concat([whole.subarray(0, -3), Buffer.from([1, 2, 3])])),
    () => writeFile(file(), 'short'),
    () => rm(file()),
  ]) {
    await writeFile(file(), whole);
    await damage();
    const next = await open();
    const before = await next.read();
    await next.add([mark(9)]);
    expect(await (await open()).read()).toEqual([...before, mark(9)]);
    expect([mark(1), mark(2)].slice(0, before.length)).toEqual(before);
  }
});

test('its size is bounded, and the newest are kept', async () => {
  const journal = await open(10);
  for (let number = 0; number < 200; number++) await journal.add([mark(number)]);
  expect((await stat(file())).size).toBeLessThanOrEqual(22 * 28);
  const kept = await journal.read();
  expect(kept).toHaveLength(10);
  expect(kept.at(-1)).toEqual(mark(199));
});
