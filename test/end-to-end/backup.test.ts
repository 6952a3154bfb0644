import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startProgram, temporaryFolder, waitFor } from '../programs/process.ts';
import { remoteWrite } from '../programs/remote-write.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const folder = temporaryFolder('backup');
afterAll(() => folder.remove());
const running: RunningTrifocal[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGKILL');
});

async function start(data: string): Promise<RunningTrifocal> {
  const server = await startTrifocal({ program: 'source', data });
  running.push(server);
  return server;
}

const CLI = ['--import', 'tsx', 'src/app/main.ts'];
const post = (server: RunningTrifocal, headers: Record<string, string>, signal?: AbortSignal) =>
  fetch(`${server.http}/api/backups`, { method: 'POST', body: '{}', headers, ...(signal ? { signal } : {}) });

test('a backup made during ingest holds all that was acknowledged before it began', async () => {
  const server = await start(join(folder.path, 'first'));
  const acknowledged: number[] = [];
  let sending = true;
  const sender = (async () => {
    for (let id = 0; sending; id++) {
      const series = [
        { labels: { __name__: 'numbered', id: String(id) }, samples: [{ value: id, timeMs: Date.now() }] },
      ];
      if ((await remoteWrite(`${server.http}/prometheus/api/v1/write`, series)).ok) acknowledged.push(id);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await waitFor('some samples', async () => (acknowledged.length > 50 ? true : undefined));

  const before = [...acknowledged];
  const file = join(folder.path, 'one.tar');
  const backup = startProgram(process.execPath, [...CLI, 'backup', file, '--server', server.http]);
  expect(await backup.exited, backup.output()).toBe(0);
  expect(acknowledged.length).toBeGreaterThan(before.length);
  sending = false;
  await sender;

  // A client that leaves leaves nothing frozen, and the next may come. No page of another site may ask.
  const gone = new AbortController();
  const response = await post(server, { 'content-type': 'application/json' }, gone.signal);
  expect(response.ok).toBe(true);
  gone.abort();
  await waitFor('the backup to be let go', async () => {
    const frozen = readdirSync(join(server.data, 'engine/shadow')).filter((name) => name !== 'increment.txt');
    return frozen.length === 0 && readdirSync(join(server.data, 'backups')).length === 0 ? true : undefined;
  });
  expect((await post(server, { 'content-type': 'text/plain' })).status).toBe(415);

  const data = join(folder.path, 'second');
  const trifocal = (...args: string[]) => spawnSync(process.execPath, [...CLI, ...args], { encoding: 'utf8' });
  expect(trifocal('restore', file, '--data', server.data, '--replace')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/in use by a running Trifocal/),
  });
  expect(trifocal('restore', file, '--data', data)).toMatchObject({ status: 0 });
  const restored = await start(data);
  const series = await promql(`${restored.http}/prometheus`, 'numbered');
  const found = new Set(series.map(({ metric }) => Number(metric.id)));
  expect(before.filter((id) => !found.has(id))).toEqual([]);

  const other = join(folder.path, 'none.tar');
  writeFileSync(join(folder.path, 'text'), 'x');
  expect(trifocal('restore', join(folder.path, 'text'), '--check')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/can't be used: cut short/),
  });
  await restored.stop('SIGKILL');
  expect(trifocal('backup', other, '--server', restored.http)).toMatchObject({ status: 1 });
  expect(existsSync(other) || existsSync(`${other}.partial`)).toBe(false);
});
