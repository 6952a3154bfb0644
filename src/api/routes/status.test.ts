import { expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { everything, type Scope } from '../../model/index.ts';
import { statusResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { statusRoutes } from './status.ts';

test.each<[string, Scope, string[]]>([
  ['all', everything, ['eu', 'us', 'lab']],
  ['those of the scope', { kind: 'limited', clusters: [{ name: 'us' }] }, ['us']],
  [
    'one of which only a namespace may be seen',
    { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['x'] }] },
    ['eu'],
  ],
])('the status names clusters: %s', async (_, scope, clusters) => {
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  app.addHook('onRequest', async (request) => {
    request.scope = scope;
  });
  await app.register(
    statusRoutes({
      version: '1.2.3',
      clock: manualClock(0),
      demo: () => 'off',
      clusters: () => ['eu', 'us', 'lab'],
      storeUp: () => true,
      trouble: async () => ({
        store: { up: true, sinceMs: 0 },
        spool: { state: 'ok', sinceMs: 0 },
        ingestUp: true,
        nowMs: 0,
        sources: [],
        dropped: [],
      }),
      waiting: () => [],
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
    }),
  );
  const answer = await app.inject({ url: '/api/status', headers: { host: 'localhost' } });
  expect(statusResponse.parse(answer.json())).toMatchObject({ clusters, trouble: [] });
});
