import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startProgram, temporaryFolder, waitFor } from '../programs/process.ts';
import { remoteWrite } from '../programs/remote-write.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const folder = temporaryFolder('start');
afterAll(() => folder.remove());
const running: RunningTrifocal[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGKILL');
});

async function start(data: string, args: readonly string[] = []): Promise<RunningTrifocal> {
  const server = await startTrifocal({ program: 'source', data, args });
  running.push(server);
  return server;
}

/** What a start that must not succeed prints on standard error; it has to end by itself with exit code 1. */
async function refusal(args: readonly string[]): Promise<string> {
  const program = startProgram(process.execPath, ['--import', 'tsx', 'src/app/main.ts', 'up', ...args]);
  expect(await program.exited, program.output()).toBe(1);
  const sentences = program
    .output()
    .split('\n')
    .filter((line) => line !== '' && !/^\d{4}-\d\d-\d\dT/.test(line)); // log lines are dated
  expect(sentences).toHaveLength(1);
  return sentences[0] ?? '';
}

const free = ['--http', '127.0.0.1:0', '--otlp-http', '127.0.0.1:0', '--otlp-grpc', '127.0.0.1:0'];

test('what keeps it from starting is one clear sentence and exit code 1', async () => {
  const data = join(folder.path, 'first');
  const first = await start(data);
  expect(await refusal(['--data', data, ...free])).toMatch(/in use by another Trifocal \(process \d+\)/);

  const other = ['--data', join(folder.path, 'second')];
  const port = new URL(first.http).port;
  expect(await refusal([...other, ...free, '--http', `127.0.0.1:${port}`])).toMatch(
    /Can't listen on 127\.0\.0\.1:\d+ \(listen\.http\): another program uses that port/,
  );
  expect(await refusal([...other, ...free, '--otlp-grpc', first.otlpGrpc])).toMatch(
    /listen\.otlpGrpc\): another program uses that port/,
  );

  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  expect(await refusal(['--data', '/proc/trifocal/data', ...free])).toMatch(
    /can't be used \(no folder can be made there\)/,
  );
  expect(await refusal(['--data', join(file, 'data'), ...free])).toMatch(/can't be used \(.*file.*\)/);
  expect(await refusal([...other, ...free, '--http', '0.0.0.0:0'])).toMatch(
    /0\.0\.0\.0 is reachable from other machines/,
  );
  expect(await refusal(['--config', join(folder.path, 'missing.yaml')])).toMatch(
    /missing\.yaml: can't be read: there is no such file/,
  );
});

test('a Node that is too old is told so before anything else', () => {
  const old =
    'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } })';
  const result = spawnSync(process.execPath, ['--import', old, 'scripts/start.mjs'], { encoding: 'utf8' });
  expect(result.status).toBe(1);
  expect(result.stderr.trim()).toBe('Trifocal needs Node 20.19.0 or newer; this is 18.20.4.');
});

test('stopping brings everything acknowledged into the store, and a restart serves it', async () => {
  const data = join(folder.path, 'stop');
  const server = await start(data);
  const now = Date.now();
  const series = Array.from({ length: 500 }, (_, i) => ({
    labels: { __name__: 'kept', i: String(i) },
    samples: [{ value: i, timeMs: now }],
  }));
  expect((await remoteWrite(`${server.http}/prometheus/api/v1/write`, series)).status).toBe(204);
  await server.stop('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(readdirSync(join(data, 'spool')).filter((name) => name.endsWith('.segment'))).toEqual([]);

  const again = await start(data);
  const [sum] = await promql(`${again.http}/prometheus`, 'sum(last_over_time(kept[1h]))');
  expect(sum?.value?.[1]).toBe(String((499 * 500) / 2));
  expect((await fetch(`${again.http}/readyz`)).status).toBe(200);
});

test('SIGTERM while it starts ends the start, cleanly', async () => {
  const data = join(folder.path, 'early');
  const program = startProgram(process.execPath, ['--import', 'tsx', 'src/app/main.ts', 'up', '--data', data, ...free]);
  await waitFor('the engine to be opened', async () => (existsSync(join(data, 'engine')) ? true : undefined));
  await program.stop('SIGTERM');
  expect(await program.exited, program.output()).toBe(0);
  expect(program.output()).not.toContain('trifocal ready');
  expect(existsSync(join(data, 'lock'))).toBe(false);
});

test('a defect that nobody handles ends it with a masked log line', async () => {
  const defect = 'process.once("SIGUSR2",()=>{Promise.reject(new Error("lost: password=hunter2secret"))})';
  const server = await startTrifocal({
    program: 'source',
    data: join(folder.path, 'defect'),
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(defect)}` },
  });
  running.push(server);
  process.kill(server.serverPid, 'SIGUSR2');
  expect(await server.exited, server.output()).toBe(1);
  expect(server.output()).toContain('a defect of Trifocal ends it');
  expect(server.output()).toContain('lost: password=[redacted');
});

test('the doors answer as described, and the API describes itself', async () => {
  const server = await start(join(folder.path, 'doors'));
  const description = (await (await fetch(`${server.http}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  }; // OpenAPI
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const method of Object.keys(operations)) {
      const response = await fetch(server.http + path.replace('{ref}', 'pod:a%2Fb%2Fc').replace(/\{\w+\}/, 'x'), {
        method: method.toUpperCase(),
        ...(method === 'post' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}),
      });
      const text = await response.text();
      expect([200, 400, 404], `${method} ${path}: ${text}`).toContain(response.status);
      expect(text, `${method} ${path}`).not.toContain('nothing is served');
    }
  }
  const metrics = await waitFor('own metrics', async () => (await fetch(`${server.http}/metrics`)).text());
  for (const name of ['trifocal_store_up 1', 'trifocal_spool_bytes', 'trifocal_eventloop_delay_seconds'])
    expect(metrics).toContain(name);
});

test("other sites' pages can neither read nor write", async () => {
  const server = await start(join(folder.path, 'origin'));
  const push = { method: 'POST', body: '{"streams":[]}' };
  const status = async (path: string, init: RequestInit) => (await fetch(server.http + path, init)).status;
  expect(
    await status('/loki/api/v1/push', {
      ...push,
      headers: { 'content-type': 'application/json', origin: 'http://evil.example' },
    }),
  ).toBe(403);
  expect(await status('/loki/api/v1/push', { ...push, headers: { 'content-type': 'text/plain' } })).toBe(415);
  expect(await status('/api/investigations', { ...push, headers: { 'content-type': 'text/plain' } })).toBe(415);
  expect(
    (
      await fetch(`${server.otlpHttp}/v1/logs`, {
        ...push,
        headers: { 'content-type': 'application/json', origin: 'http://evil.example' },
      })
    ).status,
  ).toBe(403);
});
