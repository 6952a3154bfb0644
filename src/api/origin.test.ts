import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { createHttpServer } from './server.ts';

const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: ['trifocal.lan'] });
beforeAll(() => {
  app.get('/thing', async () => ({ fine: true }));
  app.register(async (scope) => {
    scope.post('/push', async () => ({ fine: true }));
  });
});
afterAll(() => app.close());

const check = async (headers: Record<string, string>, path = '/thing') =>
  (await app.inject({ url: path, headers })).statusCode;

test.each([
  ['localhost:4319', 200], ['127.0.0.1:4319', 200], ['[::1]:4319', 200], ['127.0.0.1', 200], ['trifocal.lan:80', 200],
  ['evil.example', 403], ['evil.example:4319', 403], ['127.0.0.1.evil.example', 403], ['localhost.evil.example:4319', 403],
])('Host %s is answered with %i', async (host, status) => {
  expect(await check({ host })).toBe(status);
}); // biome-ignore format: a table

test.each([
  ['http://localhost:4319', 200], ['http://evil.example', 403], ['null', 403], ['http://localhost:3000', 403], ['https://localhost:4319', 200],
])('Origin %s is answered with %i', async (origin, status) => {
  expect(await check({ host: 'localhost:4319', origin })).toBe(status);
}); // biome-ignore format: a table

test("another site's page may link here but not fetch", async () => {
  const from = { host: 'localhost:4319', 'sec-fetch-site': 'cross-site' };
  expect(await check({ ...from, 'sec-fetch-mode': 'navigate' })).toBe(200);
  expect(await check({ ...from, 'sec-fetch-mode': 'no-cors' })).toBe(403);
});

test('errors have one form, and answers carry the security headers', async () => {
  const answer = await app.inject({ url: '/nowhere', headers: { host: 'localhost' } });
  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toEqual({ error: { code: 'not_found', message: 'nothing is served at GET /nowhere' } });
  expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
});

test.each(['GET', 'PUT'] as const)('%s where only POST is served says so', async (method) => {
  const answer = await app.inject({ method, url: '/push', headers: { host: 'localhost' } });
  expect(answer.statusCode).toBe(405);
  expect(answer.headers.allow).toBe('POST');
  expect(answer.json()).toEqual({ error: { code: 'method_not_allowed', message: `/push takes POST, not ${method}` } });
});
