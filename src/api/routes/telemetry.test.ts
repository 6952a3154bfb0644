import { expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { telemetryResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { telemetryRoutes } from './telemetry.ts';

test.each([
  ['an up store that cannot tell its sizes is a warning', true, ['the sizes of tables cannot be told']],
  ['a down one is told in the answer, not in the log', false, []],
])('%s', async (_, isUp, expected) => {
  const warned: string[] = [];
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  await app.register(
    telemetryRoutes({
      ingest: { telemetry: () => ({ sources: [], dropped: [] }), activeSeries: () => 0 },
      store: { isUp: () => isUp, tableStats: () => Promise.reject(new Error('no such table')) },
      spool: () => ({ bytes: 0, oldestSeconds: 0 }),
      watches: () => [],
      targets: () => [],
      clock: manualClock(0),
      logger: { ...silentLogger, warn: (_fields, message) => warned.push(message) },
    }),
  );
  const answer = await app.inject({ url: '/api/telemetry', headers: { host: 'localhost' } });
  expect(telemetryResponse.parse(answer.json())).toMatchObject({ tables: [], storeUp: isUp });
  expect(warned).toEqual(expected);
});
