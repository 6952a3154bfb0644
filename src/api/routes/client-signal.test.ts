import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';

import { createHttpServer } from '../server.ts';
import { changeRoutes } from './changes.ts';
import { entityRoutes } from './entities.ts';
import { logRoutes } from './logs.ts';
import { signalRoutes } from './signals.ts';
import { traceRoutes } from './traces.ts';

/** Reads that last until nobody wants them any more. */
let begin: (signal: AbortSignal | undefined) => void;
const endless = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    begin(signal);
  });
const read = (_: unknown, { signal }: { signal?: AbortSignal }) => endless(signal);
const never = () => Promise.reject(new Error('not asked here'));

const clock = systemClock;
const estate = {
  at: (_ms: number, _scope: unknown, signal?: AbortSignal) => endless(signal),
  changes: (_query: unknown, _scope: unknown, signal?: AbortSignal) => endless(signal),
  events: (_query: unknown, _scope: unknown, signal?: AbortSignal) => endless(signal),
};
const traces = { search: read, byId: read, edges: never, services: never, measure: never };
const app = createHttpServer({ logger: silentLogger, maxBodyBytes: 1e6, allowedHosts: [] });
let address: string;

beforeAll(async () => {
  await app.register(logRoutes({ logs: { search: read }, estate, clock }));
  await app.register(traceRoutes({ traces, estate, clock }));
  for (const routes of [entityRoutes, changeRoutes]) await app.register(routes({ estate, clock }));
  const estateAt = (_ms: number, _scope: unknown, signal: AbortSignal) => endless(signal);
  const evidence = () => ({ fetch: never, spent: () => ({ queries: 0, seconds: 0 }) });
  await app.register(signalRoutes({ estateAt, evidence, clock }));
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const range = 'from=now-1h&to=now';
test.each([
  `/api/logs?${range}`,
  `/api/traces?${range}`,
  '/api/traces/0af7651916cd43dd8448eb211c80319c',
  '/api/entities',
  '/api/entities/pod:eu/a/b',
  `/api/entities/pod:eu/a/b/changes?${range}`,
  `/api/changes?${range}`,
  `/api/events?${range}`,
  `/api/signals/inference.ttft?entity=pod:eu/a/b&${range}`,
])('%s stops reading when its client goes away', async (path) => {
  const begun = new Promise<AbortSignal | undefined>((resolve) => {
    begin = resolve;
  });
  const client = new AbortController();
  const answer = fetch(address + path, { signal: client.signal });
  const signal = await Promise.race([
    begun,
    answer.then(async (early) => Promise.reject(new Error(await early.text()))),
  ]);
  expect(signal?.aborted).toBe(false);
  client.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => signal?.aborted).toBe(true);
});
