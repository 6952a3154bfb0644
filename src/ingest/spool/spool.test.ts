import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../../base/index.ts';
import { createBatchEncoder, openStore, type Store } from '../../store/index.ts';
import { BackPressureError } from '../sink.ts';
import { encodeAppend } from './frames.ts';
import type { SpoolOptions } from './spool.ts';
import { findBatches, numberedBatch, openBatchSpool } from './testing.ts';

const forever = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;

function openEngine(folder: string): Promise<Store> {
  const engine = { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 2 ** 30 } as const;
  return openStore({ engine, retention: forever, clock: systemClock, logger: silentLogger });
}

/** What the spool writes for a batch. */
function wholeAppend(number: number): Buffer {
  return Buffer.concat(encodeAppend(createBatchEncoder(systemClock).encode(numberedBatch(number)).blocks));
}

describe('the spool', () => {
  let folder: string;
  let store: Store;
  let spoolFolder: string;
  const found = new Set<number>();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trifocal-spool-'));
    store = await openEngine(folder);
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    spoolFolder = await mkdtemp(join(folder, 'spool-'));
  });
  afterEach(async () => {
    for (const number of (await findBatches(store.port)).whole) found.add(number);
  });

  const open = (more: Partial<SpoolOptions> = {}) =>
    openBatchSpool({
      folder: spoolFolder,
      store,
      maxBytes: 2 ** 30,
      clock: systemClock,
      logger: silentLogger,
      ...more,
    });
  const segments = async () => (await readdir(spoolFolder)).filter((name) => name.endsWith('.segment'));
  const expectOnce = async (numbers: number[]) => {
    const { whole, duplicates } = await findBatches(store.port);
    expect([...whole].filter((number) => !found.has(number)).sort((a, b) => a - b)).toEqual(numbers);
    expect(duplicates).toBe(0);
  };
  /** A store that is down for good. */
  const downPort = async () => {
    const other = await openEngine(await mkdtemp(join(folder, 'down-')));
    await other.close();
    return other;
  };

  test('what was appended is in the store after a flush, once, and no file is left', async () => {
    const spool = await open();
    await Promise.all([1, 2, 3, 4, 5].map((number) => spool.append(numberedBatch(number))));
    expect(spool.stats().bytes).toBeGreaterThan(0);
    await spool.flush();
    await expectOnce([1, 2, 3, 4, 5]);
    expect(spool.stats()).toMatchObject({ bytes: 0, segments: 0, oldestSeconds: 0, refused: 0, state: 'ok' });
    await spool.close();
    expect(await segments()).toEqual([]);
  });

  test('it loads by itself, soon after the append', async () => {
    const spool = await open({ sealAfterMs: 10 });
    await spool.append(numberedBatch(10));
    while (spool.stats().segments > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await expectOnce([10]);
    await spool.close();
  });

  test('full segments are loaded one after the other', async () => {
    const spool = await open({ sealBytes: 1 });
    for (let number = 20; number < 30; number++) await spool.append(numberedBatch(number));
    await spool.flush();
    await expectOnce([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    await spool.close();
  });

  test('while the store is down it keeps what comes, up to its bound, and a later process loads it', async () => {
    const down = await open({ store: await downPort(), maxBytes: 20_000 });
    const accepted: number[] = [];
    let refusal: unknown;
    for (let number = 30; refusal === undefined; number++) {
      await down.append(numberedBatch(number)).then(
        () => accepted.push(number),
        (error) => {
          refusal = error;
        },
      );
    }
    expect(refusal).toBeInstanceOf(BackPressureError);
    expect(accepted.length).toBeGreaterThan(2);
    expect(down.stats()).toMatchObject({
      state: 'full',
      message: expect.stringMatching(/^the store is down and .* wait for it/),
    });
    await down.close();
    await expect(down.append(numberedBatch(0))).rejects.toBeInstanceOf(BackPressureError);

    const spool = await open();
    await spool.ready;
    await expectOnce(accepted);
    await spool.close();
  });

  test('once it has drained it is not full any more, though nobody asked meanwhile', async () => {
    const spool = await open({ maxBytes: 60_000, sealAfterMs: 3_600_000 });
    let appended = 0;
    for (let refused = false; !refused; ) {
      await spool.append(numberedBatch(130 + appended)).then(
        () => appended++,
        () => {
          refused = true;
        },
      );
    }
    expect(spool.stats().state).toBe('full');
    const { bytes } = spool.stats();
    await spool.flush();
    while (spool.stats().bytes < 0.95 * bytes) await spool.append(numberedBatch(130 + appended++));
    expect(spool.stats().state).toBe('ok');
    await spool.flush();
    await spool.close();
  });

  test('appends that still wait for the disk count, and those that failed do not', async () => {
    const down = await open({ store: await downPort(), maxBytes: 20_000 });
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => down.append(numberedBatch(200))));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ reason }) => reason instanceof BackPressureError)).toBe(true);
    expect(down.stats().bytes).toBeLessThanOrEqual(20_000);
    await down.close();

    spoolFolder = await mkdtemp(join(folder, 'spool-'));
    const spool = await open({ maxBytes: 20_000 });
    await rm(spoolFolder, { recursive: true });
    for (let i = 0; i < 20; i++) await expect(spool.append(numberedBatch(201))).rejects.toThrow('the disk refuses');
    expect(spool.stats()).toMatchObject({ state: 'disk-refuses', message: expect.stringContaining('ENOENT') });
    await mkdir(join(spoolFolder, 'refused'), { recursive: true });
    await spool.append(numberedBatch(202));
    await spool.flush();
    await expectOnce([202]);
    await spool.close();
  });

  test('a segment that the disk does not give back is set aside and holds nothing up', async () => {
    const file = join(spoolFolder, '000000001-cccc.segment');
    await writeFile(file, '');
    await truncate(file, 2 ** 31 + 1); // more than Node reads into one buffer
    const spool = await open({ maxBytes: 2 ** 33 });
    await spool.append(numberedBatch(210));
    await spool.ready;
    await spool.flush();
    expect(spool.stats().refused).toBe(1);
    expect(await readdir(join(spoolFolder, 'refused'))).toEqual(['000000001-cccc.segment']);
    await expectOnce([210]);
    await spool.close();
    const next = await open();
    expect(next.stats().refused).toBe(1);
    await next.close();
  });

  test('damage inside a segment that was ended is kept and counted; what is before it is loaded', async () => {
    const damaged = wholeAppend(221);
    damaged[30] = (damaged[30] ?? 0) ^ 1;
    const rest = Buffer.concat([damaged, wholeAppend(222)]);
    await writeFile(join(spoolFolder, '000000001-dddd.segment'), Buffer.concat([wholeAppend(220), rest]));
    await writeFile(join(spoolFolder, '000000002-dddd.segment'), wholeAppend(223));
    const spool = await open();
    await spool.ready;
    await expectOnce([220, 223]);
    expect(spool.stats().refused).toBe(1);
    expect(await readFile(join(spoolFolder, 'refused', '000000001-dddd.damaged'))).toEqual(rest);
    await spool.close();
  });

  test('loading goes on after a failure of its own', async () => {
    let failures = 0;
    const sleep: Clock['sleep'] = async (ms, signal) => {
      if (failures++ === 0) throw new Error('no sleep today');
      return await systemClock.sleep(ms, signal);
    };
    const spool = await open({ clock: { ...systemClock, sleep }, sealAfterMs: 500 });
    await spool.append(numberedBatch(230));
    while (spool.stats().segments > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(failures).toBeGreaterThan(0);
    await expectOnce([230]);
    await spool.close();
  });

  test('after a crash a torn tail is left out and what was whole is loaded', async () => {
    const file = join(spoolFolder, '000000001-aaaa.segment');
    await mkdir(spoolFolder, { recursive: true });
    await writeFile(file, Buffer.concat([wholeAppend(100), wholeAppend(101)]));
    await appendFile(file, wholeAppend(102).subarray(0, -7));
    await writeFile(join(spoolFolder, '000000001-aaaa.samples.native'), 'half a file');
    const spool = await open();
    await spool.ready;
    await expectOnce([100, 101]);
    await spool.close();
    expect(await segments()).toEqual([]);
  });

  test('a disk with less free space than its reserve refuses, and the state ends without an append when there is room', async () => {
    const spool = await open({ reserveBytes: 2 ** 60 });
    await expect(spool.append(numberedBatch(240))).rejects.toThrow('the disk is nearly full');
    expect(spool.stats()).toMatchObject({
      state: 'disk-refuses',
      message: expect.stringContaining('are kept for the store'),
    });
    await spool.close();
    const next = await open();
    await rm(spoolFolder, { recursive: true });
    await expect(next.append(numberedBatch(241))).rejects.toBeInstanceOf(BackPressureError);
    await mkdir(join(spoolFolder, 'refused'), { recursive: true });
    while (next.stats().state !== 'ok') await new Promise((resolve) => setTimeout(resolve, 20));
    await next.close();
  });

  test('requests are known to later processes, whether their rows wait or are in the store', async () => {
    const mark = (number: number) => ({ hash: new Uint8Array(16).fill(number), atMs: Date.now() });
    const marks = [mark(1), mark(2), mark(3)];
    const down = await open({ store: await downPort() });
    await down.append(numberedBatch(250), marks[0]);
    await down.append(numberedBatch(251));
    await down.append(numberedBatch(252), marks[1]);
    expect(await down.takenIn()).toMatchObject({ requests: marks.slice(0, 2) });
    await down.close();
    const spool = await open();
    const early = spool.takenIn();
    await spool.ready;
    expect(new Set((await early).requests.map(({ hash }) => hash[0]))).toEqual(new Set([1, 2]));
    await spool.append(numberedBatch(253), marks[2]);
    await spool.flush();
    await expectOnce([250, 251, 252, 253]);
    await spool.close();
    const next = await open();
    expect(await next.takenIn()).toEqual({ requests: marks, samples: { newestMs: 1_767_225_600_253, ahead: [] } });
    await next.close();
  });

  test('appends that are still being synced are known, in the order in which they came', async () => {
    const mark = (number: number) => ({ hash: new Uint8Array(16).fill(number), atMs: Date.now() });
    const marks = [mark(4), mark(5), mark(6)];
    const spool = await open({ underWay: () => 3 });
    const appends = marks.map((one, i) => spool.append(numberedBatch(255 + i), one));
    const { requests } = await spool.takenIn();
    expect(requests).toEqual(marks);
    await Promise.all(appends);
    await spool.flush();
    await expectOnce([255, 256, 257]);
    await spool.close();
  });

  test('late samples join those that came before, the first value stays, and what is dropped is told', async () => {
    const told: unknown[] = [];
    const spool = await open({ onDuplicates: (rejection) => told.push(rejection) });
    const { samples } = numberedBatch(260);
    if (samples === undefined) throw new Error('a numbered batch has samples');
    await spool.append({ lateSamples: { ...samples, values: new Float64Array(5).fill(7) } });
    await spool.append(numberedBatch(260));
    await spool.append({ lateSamples: samples });
    await spool.flush();
    await expectOnce([260]);
    expect(told).toEqual([
      {
        signal: 'samples',
        reason: 'duplicate_value',
        count: 5,
        example: expect.stringMatching(/^sample of metric_\d\{.* has value 7, but 260 came before/),
      },
    ]);
    await spool.close();
  });

  test('what is dropped is told once, also when the segment has to be loaded again', async () => {
    const told: number[] = [];
    let failures = 0;
    const error = () => void failures++;
    const logger = { ...silentLogger, error };
    const spool = await open({ logger, onDuplicates: ({ count }) => told.push(count) });
    const { samples } = numberedBatch(270);
    if (samples === undefined) throw new Error('a numbered batch has samples');
    await spool.append(numberedBatch(270));
    const late = { ...samples, values: new Float64Array(5).fill(7) };
    await spool.append({ lateSamples: late }, { hash: new Uint8Array(16).fill(7), atMs: Date.now() });
    const journal = join(spoolFolder, 'requests');
    await rm(journal);
    await mkdir(journal);
    const flushed = spool.flush();
    while (failures < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await rm(journal, { recursive: true });
    await flushed;
    expect(told).toEqual([5]);
    await expectOnce([270]);
    await spool.close();
  });

  test('a disk that refuses is back-pressure, and it goes on when the disk does', async () => {
    const spool = await open();
    await spool.append(numberedBatch(110));
    await spool.flush();
    await rm(spoolFolder, { recursive: true });
    await expect(spool.append(numberedBatch(111))).rejects.toBeInstanceOf(BackPressureError);
    await mkdir(join(spoolFolder, 'refused'), { recursive: true });
    await spool.append(numberedBatch(112));
    await spool.flush();
    await expectOnce([110, 112]);
    await spool.close();
  });

  test('rows that the store refuses for good are set aside and hold nothing up', async () => {
    const bad = encodeAppend([{ table: 'logs', block: Buffer.from('no block at all') }]);
    await writeFile(join(spoolFolder, '000000001-bbbb.segment'), Buffer.concat(bad));
    const spool = await open();
    await spool.append(numberedBatch(120));
    await spool.ready;
    await spool.flush();
    expect(spool.stats().refused).toBe(1);
    expect(await readdir(join(spoolFolder, 'refused'))).toEqual(['000000001-bbbb.logs.native']);
    await expectOnce([120]);
    await spool.close();
  });
});
