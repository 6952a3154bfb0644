import { expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { redactionResponse, redactionTestResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { redactionRoutes } from './redaction.ts';

async function start() {
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 200_000, allowedHosts: [] });
  await app.register(
    redactionRoutes({
      rules: async () => [
        { name: 'password', source: 'built-in', on: true, hides: 'Passwords.', count: 2, lastMs: 1000 },
        { name: 'prompt', source: 'built-in', on: false, hides: 'Prompts.', count: 0, lastMs: null },
      ],
      explain: async (text) => ({ text: text.toUpperCase(), matches: [{ rule: 'password', start: 0, end: 1 }] }),
    }),
  );
  const headers = { host: 'localhost' };
  return {
    get: () => app.inject({ url: '/api/redaction', headers }),
    ask: (payload: object) => app.inject({ method: 'POST', url: '/api/redaction/test', headers, payload }),
  };
}

test('the rules, what they hide and how often they did', async () => {
  const { get } = await start();
  expect(redactionResponse.parse((await get()).json())).toMatchObject({
    prompts: 'keep',
    rules: [
      { name: 'password', count: 2, last: '1970-01-01T00:00:01.000Z' },
      { name: 'prompt', on: false },
    ],
  });
});

test('a text is tried out', async () => {
  const { ask } = await start();
  const answer = await ask({ text: 'a' });
  expect(answer.statusCode).toBe(200);
  expect(redactionTestResponse.parse(answer.json())).toEqual({
    text: 'A',
    matches: [{ rule: 'password', start: 0, end: 1 }],
  });
});

test.each([[{}], [{ text: 5 }], [{ text: 'x'.repeat(70_000) }], [{ text: 'x', more: 1 }]])(
  'no text is a mistake: %#',
  async (body) => {
    const { ask } = await start();
    expect((await ask(body)).json()).toMatchObject({ error: { code: 'bad_request' } });
  },
);
