import { expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { everything, type Scope } from '../../model/index.ts';
import { cardinalityResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { cardinalityRoutes } from './cardinality.ts';

const report = {
  active: 5,
  limit: 10,
  perMetricLimit: 4,
  clusters: [],
  metrics: [],
  labels: [],
  refusals: [
    {
      metric: 'm',
      cluster: 'eu',
      reason: 'limit_series' as const,
      label: 'id',
      count: 3,
      sinceMs: 0,
      lastMs: 1000,
      example: 'x',
    },
  ],
};

test.each<[string, string, Scope, readonly string[] | undefined]>([
  ['all', '', everything, undefined],
  ['one', '?cluster=eu', everything, ['eu']],
  ['those of the scope', '', { kind: 'limited', clusters: [{ name: 'us' }] }, ['us']],
  ['one beyond the scope', '?cluster=eu', { kind: 'limited', clusters: [{ name: 'us' }] }, []],
  [
    'one of which only a namespace may be seen',
    '',
    { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['x'] }] },
    [],
  ],
])('the report is of the clusters that are asked for and may be seen: %s', async (_, query, scope, expected) => {
  let asked: readonly string[] | undefined | 'nothing' = 'nothing';
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  app.addHook('onRequest', async (request) => {
    request.scope = scope;
  });
  await app.register(
    cardinalityRoutes({
      cardinality: async (clusters) => {
        asked = clusters;
        return report;
      },
    }),
  );
  const answer = await app.inject({ url: `/api/cardinality${query}`, headers: { host: 'localhost' } });
  expect(cardinalityResponse.parse(answer.json()).refusals).toMatchObject([
    { label: 'id', last: '1970-01-01T00:00:01.000Z' },
  ]);
  expect(asked).toEqual(expected);
});
