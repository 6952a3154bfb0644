import { expect, test } from 'vitest';
import { manualClock, silentLogger } from '../../base/index.ts';
import { telemetryResponse } from '../contract/index.ts';
import { createHttpServer } from '../server.ts';
import { telemetryRoutes } from './telemetry.ts';

const noDelay = async () => ({ p50Seconds: 0, p99Seconds: 0, maxSeconds: 0 });

test.each([
  ['an up store that cannot tell its sizes is a warning', true, ['the sizes of tables cannot be told']],
  ['a down one is told in the answer, not in the log', false, []],
])('%s', async (_, isUp, expected) => {
  const warned: string[] = [];
  const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1000, allowedHosts: [] });
  await app.register(
    telemetryRoutes({
      ingest: { telemetry: async () => ({ sources: [], dropped: [] }), activeSeries: async () => 0 },
      store: { isUp: () => isUp, tableStats: () => Promise.reject(new Error('no such table')) },
      storeSinceMs: () => 0,
      spool: () => ({ bytes: 0, maxBytes: 9, segments: 0, oldestSeconds: 0, refused: 0, state: 'ok', sinceMs: 0 }),
      loops: { main: noDelay, ingest: noDelay },
      watches: () => [],
      targets: () => [],
      clock: manualClock(0),
      logger: { ...silentLogger, warn: (_fields, message) => warned.push(message) },
    }),
  );
  const answer = await app.inject({ url: '/api/telemetry', headers: { host: 'localhost' } });
  expect(telemetryResponse.parse(answer.json())).toMatchObject({ tables: [], store: { up: isUp } });
  expect(warned).toEqual(expected);
});
