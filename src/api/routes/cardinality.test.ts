import { expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import type { CardinalityReport } from '../../ingest/index.ts';
import { everything, type Scope } from '../../model/index.ts';
import { cardinalityResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { cardinalityRoutes } from './cardinality.ts';

const refusal: CardinalityReport['refusals'][number] = {
  metric: 'm',
  cluster: 'eu',
  reason: 'limit_series',
  label: 'id',
  count: 3,
  sinceMs: 0,
  lastMs: 1000,
  example: 'most, 400, are of secret_metric',
};
const report: CardinalityReport = {
  active: 500,
  limit: 10,
  perMetricLimit: 4,
  clusters: [
    { cluster: 'eu', series: 60, limit: 90 },
    { cluster: 'us', series: 40, limit: 90 },
  ],
  metrics: [
    {
      metric: 'm',
      cluster: 'eu',
      series: 25,
      share: 0.05,
      churnPerHour: 0,
      growthPerHour: 0,
      refused: 3,
      labels: [{ name: 'id', values: 9, example: 'a' }],
    },
  ],
  labels: [],
  refusals: [refusal, { ...refusal, reason: 'limit_labels', label: 'note', example: 'label note is too long' }],
};
const limited = (...clusters: { name: string; namespaces?: string[] }[]): Scope => ({ kind: 'limited', clusters });

async function ask(query: string, scope: Scope) {
  let asked: readonly string[] | undefined | 'nothing' = 'nothing';
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  app.addHook('onRequest', async (request) => {
    request.scope = scope;
  });
  const cardinality = async (clusters?: readonly string[]) => {
    asked = clusters;
    return report;
  };
  await app.register(cardinalityRoutes({ cardinality }));
  const answer = await app.inject({ url: `/api/cardinality${query}`, headers: { host: 'localhost' } });
  return { asked, answer: cardinalityResponse.parse(answer.json()) };
}

test.each<[string, string, Scope, readonly string[] | undefined]>([
  ['all', '', everything, undefined],
  ['one', '?cluster=eu', everything, ['eu']],
  ['those of the scope', '', limited({ name: 'us' }), ['us']],
  ['one beyond the scope', '?cluster=eu', limited({ name: 'us' }), []],
  ['one of which only a namespace may be seen', '', limited({ name: 'eu', namespaces: ['x'] }), []],
])('the report is of the clusters that are asked for and may be seen: %s', async (_, query, scope, expected) => {
  const { asked, answer } = await ask(query, scope);
  expect(answer.refusals[0]).toMatchObject({ metric: 'm', count: 3, last: '1970-01-01T00:00:01.000Z' });
  expect(asked).toEqual(expected);
});

test('who may see all is told what fills the limit, and shares of all', async () => {
  const { answer } = await ask('?cluster=eu', everything);
  expect(answer).toMatchObject({ active: 500, metrics: [{ share: 0.05 }], refusals: [{ label: 'id' }, {}] });
  expect(answer.refusals[0]?.example).toContain('secret_metric');
});

test('who may see some clusters is told nothing of others: not how many series, nor what fills the limit', async () => {
  const { answer } = await ask('', limited({ name: 'eu' }, { name: 'us' }));
  expect(answer).toMatchObject({
    active: 100,
    metrics: [{ share: 0.25 }],
    refusals: [{ label: '', count: 3 }, { example: 'label note is too long' }],
  });
  expect(JSON.stringify(answer)).not.toContain('secret_metric');
});
