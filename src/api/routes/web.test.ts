import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { createHttpServer } from '../server.ts';
import { webRoutes } from './web.ts';

let parent: string;
let folder: string;
let app: ReturnType<typeof createHttpServer>;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'trifocal-web-'));
  folder = join(parent, 'web');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(parent, 'secret.txt'), 'outside');
  app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  await app.register(webRoutes({ folder }));
});
afterEach(async () => {
  await app.close();
  rmSync(parent, { recursive: true });
});

function build(name: string) {
  writeFileSync(join(folder, 'index.html'), `page ${name}`);
  writeFileSync(join(folder, 'assets', `${name}.js`), `code ${name}`);
  writeFileSync(join(folder, 'assets', `${name}.js.br`), `packed ${name}`);
}

async function get(url: string, headers: Record<string, string> = {}) {
  const { statusCode, body, headers: given } = await app.inject({ url, headers: { host: 'localhost', ...headers } });
  return { status: statusCode, body, cache: given['cache-control'], encoding: given['content-encoding'] };
}

test('files as they are built, also after the start, and the page for every other address', async () => {
  expect(await get('/')).toMatchObject({ status: 404, body: expect.stringContaining('npm run build') });
  build('a-1');
  build('b-2');
  expect(await get('/')).toMatchObject({ status: 200, body: 'page b-2', cache: 'no-cache' });
  expect(await get('/workloads/x?from=now-1h')).toMatchObject({ status: 200, body: 'page b-2', cache: 'no-cache' });
  const forGood = 'public, max-age=31536000, immutable';
  expect(await get('/assets/b-2.js?x')).toMatchObject({ status: 200, body: 'code b-2', cache: forGood });
  expect(await get('/assets/b-2.js', { 'accept-encoding': 'br' })).toMatchObject({
    body: 'packed b-2',
    encoding: 'br',
    cache: forGood,
  });
});

test.each(['/assets/gone.js', '/api/nothing', '/assets/..%2f..%2fsecret.txt', '/assets/%zz'])(
  '%s is not found',
  async (url) => {
    build('a-1');
    const { status, body } = await get(url);
    expect(body).not.toContain('outside');
    expect(status).toBe(url.includes('%zz') ? 400 : 404);
  },
);

test('GET of a path that only takes POST is 405, not an unknown one', async () => {
  app.post('/v1/logs', async () => '');
  expect(await get('/v1/logs')).toMatchObject({ status: 405, body: expect.stringContaining('method_not_allowed') });
  expect(await get('/v1/nothing')).toMatchObject({ status: 404 });
});
