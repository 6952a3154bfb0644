import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../../base/index.ts';
import { openStore, type Store, selectRows } from '../../store/index.ts';
import { openSpool, type Spool } from '../spool/index.ts';
import { startIngestThread } from './index.ts';

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-killed-'));
  store = await openStore({
    engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 2 ** 30 },
    retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
    clock: systemClock,
    logger: silentLogger,
  });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

it('a request whose thread died while it was being synced is stored once, though its sender was told to come again', async () => {
  const sync = event();
  const appended = event();
  // The writer waits for a second append on this clock before it syncs.
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => sync.promise.then(() => systemClock.sleep(ms, signal)),
  };
  const spool = await openSpool({
    folder: await mkdtemp(join(folder, 'spool-')),
    store,
    maxBytes: 2 ** 30,
    clock,
    logger: silentLogger,
    underWay: () => 2,
  });
  const start = (hooks: Pick<Spool, 'append' | 'takenIn'>) =>
    startIngestThread({
      settings: { maxBodyBytes: 1024 * 1024 },
      spool: { ...hooks, newestSamples: spool.newestSamples },
      clock: systemClock,
      logger: silentLogger,
    });
  const line = JSON.stringify({ streams: [{ stream: { pod: 'p' }, values: [[`${Date.now()}000000`, 'once']] }] });
  const request = () => ({
    door: 'loki',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(line),
    sender: '10.0.0.4 promtail/3.5',
  });

  const first = start({
    takenIn: spool.takenIn,
    append: (...append) => {
      appended.resolve();
      return spool.append(...append);
    },
  });
  const answered = first.handle(request()).then(
    () => 'an answer',
    () => 'come again',
  );
  await appended.promise;
  await first.close();
  expect(await answered).toBe('come again');

  const second = start({
    append: spool.append,
    takenIn: () => {
      const takenIn = spool.takenIn();
      sync.resolve();
      return takenIn;
    },
  });
  expect(await second.handle(request())).toMatchObject({ status: 204 });
  await spool.flush();
  const rows = await selectRows(
    store.port,
    { text: `SELECT count() AS found FROM logs WHERE body = 'once'`, params: {} },
    { limits: { seconds: 60, memoryBytes: 2 ** 29 } },
  );
  expect(rows).toEqual([{ found: 1n }]);
  await second.close();
  await spool.close();
});

function event() {
  let resolve = () => {};
  const promise = new Promise<void>((then) => {
    resolve = then;
  });
  return { promise, resolve };
}
