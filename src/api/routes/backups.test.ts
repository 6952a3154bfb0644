import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import type { Scope } from '../../model/index.ts';
import { createHttpServer } from '../server.ts';
import { type BackupRoutesOptions, backupRoutes } from './backups.ts';

let app: FastifyInstance;
afterEach(() => app.close());

const restored = { createdAt: '2026-01-01T00:00:00.000Z', version: '1.0.0', tables: [] };

/** A server whose backups count themselves; what `over` names is done in its own way. */
async function start(over: Partial<BackupRoutesOptions> = {}, scope?: Scope) {
  const counts = { made: 0, released: 0, closed: 0 };
  const release = async () => {
    counts.released++;
  };
  const backup = () => {
    counts.made++;
    return { bytes: 3, content: one('abc'), release };
  };
  app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1e6, allowedHosts: [] });
  app.addHook('onRequest', async (request, reply) => {
    if (scope) request.scope = scope;
    reply.raw.once('close', () => counts.closed++);
  });
  await app.register(backupRoutes({ create: async () => backup(), restore: async () => restored, ...over }));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const post = (path: string, body: unknown, signal?: AbortSignal) =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return {
    counts,
    backup,
    create: (signal?: AbortSignal) => post('/api/backups', {}, signal),
    restore: () => post('/api/restores', { backup: 'a.tar', add: false }),
  };
}

async function* one(text: string) {
  yield Buffer.from(text);
}

/** A promise that is kept or broken from outside. */
function later<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

test('a backup is streamed and let go of, and the next may follow', async () => {
  const { create, counts } = await start();
  for (const n of [1, 2]) {
    const answer = await create();
    expect([answer.status, answer.headers.get('x-trifocal-backup-bytes'), await answer.text()]).toEqual([
      200,
      '3',
      'abc',
    ]);
    await expect.poll(() => counts.released).toBe(n);
  }
});

test('a client that leaves while its backup is made blocks no other', async () => {
  const begun = later<void>();
  const finish = later<ReturnType<typeof backup>>();
  let waits = true;
  const { create, restore, counts, backup } = await start({
    create: async () => {
      if (!waits) return backup();
      waits = false;
      begun.resolve();
      return finish.promise;
    },
  });
  const client = new AbortController();
  const gone = create(client.signal);
  await begun.promise;
  for (const refused of [await create(), await restore()]) {
    expect(refused.status).toBe(429);
    await refused.text();
  }
  await expect.poll(() => counts.closed).toBe(2);
  client.abort();
  await expect(gone).rejects.toThrow();
  await expect.poll(() => counts.closed).toBe(3);
  finish.resolve(backup());
  await expect.poll(() => counts.released).toBe(1);
  expect((await create()).status).toBe(200);
});

test.each([
  ['fails', false],
  ['cannot be let go of', true],
])('a backup that %s blocks no other', async (_, made) => {
  let fails = true;
  const { create, counts, backup } = await start({
    create: async () => {
      if (!fails) return backup();
      fails = false;
      if (!made) throw new Error('broken');
      return { ...backup(), release: () => Promise.reject(new Error('broken')) };
    },
  });
  const first = await create();
  expect(first.status).toBe(made ? 200 : 500);
  await first.text();
  await expect.poll(async () => (await create()).status).toBe(200);
  await expect.poll(() => counts.released).toBe(1);
});

test('who may not see everything gets no backup and restores none', async () => {
  const { create, restore, counts } = await start({}, { kind: 'limited', clusters: [{ name: 'eu' }] });
  for (const answer of [await create(), await restore()]) {
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'forbidden' } }]);
  }
  expect(counts.made).toBe(0);
});
