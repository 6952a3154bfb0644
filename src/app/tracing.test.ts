import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger, traced } from '../base/index.ts';
import { startTracing, tracesUrl } from './tracing.ts';

describe('where own traces go', () => {
  test.each<[string | undefined, Record<string, string>, string | undefined]>([
    [undefined, {}, undefined],
    ['http://a:4318/', {}, 'http://a:4318/v1/traces'],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b:4318' }, 'http://b:4318/v1/traces'],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x' },
      'http://c/x',
    ],
    ['http://a', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' }, 'http://a/v1/traces'],
    ['http://a', { OTEL_SDK_DISABLED: 'true' }, undefined],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ])('configured %s, environment %j', (configured, environment, url) => {
    expect(tracesUrl(configured, environment)).toBe(url);
  });
});

describe('own traces', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const collector = async () => {
    const received: { body: string; headers: Record<string, unknown> }[] = [];
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      received.push({ body: Buffer.concat(pieces).toString('latin1'), headers: request.headers });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return { received, url: `http://127.0.0.1:${port}/v1/traces`, address: `127.0.0.1:${port}` };
  };

  test('work below a request is in its trace; queries and messages are not in spans', async () => {
    const { received, url } = await collector();
    const tracing = await startTracing({ url, version: '1', logger: silentLogger });
    const app = Fastify();
    closers.push(() => app.close());
    tracing.traceRequests(app);
    app.get('/api/things/:id', async () => {
      await traced(tracing.tracer, 'inner work', { count: 5 }, async () => {
        throw new RangeError('a secret of the user');
      }).catch(() => {});
      return {};
    });
    const trace = 'ab'.repeat(16);
    const headers = { traceparent: `00-${trace}-${'cd'.repeat(8)}-01` };
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo; // it listens on TCP
    await (await fetch(`http://127.0.0.1:${port}/api/things/5?token=hunter2`, { headers })).text();
    await app.close();
    await tracing.close();
    const sent = received.map(({ body }) => body).join('');
    for (const text of ['trifocal', 'GET /api/things/:id', 'inner work', 'RangeError']) expect(sent).toContain(text);
    for (const text of ['hunter2', 'things/5', 'a secret']) expect(sent).not.toContain(text);
    expect(sent.split(Buffer.from(trace, 'hex').toString('latin1'))).toHaveLength(3); // both spans are of the caller's trace
  });

  test('traces that come back to this very server beget none', async () => {
    process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
    closers.push(() => Reflect.deleteProperty(process.env, 'OTEL_BSP_SCHEDULE_DELAY'));
    const { received, url, address } = await collector();
    const tracing = await startTracing({ url, version: '1', logger: silentLogger });
    tracing.listensAt([address]);
    const app = Fastify();
    closers.push(() => app.close());
    tracing.traceRequests(app);
    app.post('/v1/traces', async () => {
      tracing.tracer.begin('work for it').end();
      return {};
    });
    tracing.tracer.begin('a span').end();
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const own = String(received[0]?.headers['x-trifocal-own-traces']);
    const post = (headers: Record<string, string>) =>
      app.inject({ method: 'POST', url: '/v1/traces', headers, payload: {} });
    await post({ 'x-trifocal-own-traces': own });
    tracing.tracer.begin('spool load').end();
    tracing.tracer.begin('last').end();
    await tracing.close();
    const sent = received.map(({ body }) => body).join('');
    for (const text of ['a span', 'last']) expect(sent).toContain(text);
    for (const text of ['POST /v1/traces', 'work for it', 'spool load']) expect(sent).not.toContain(text);
  });

  test('others may not hide behind the header', async () => {
    const { received, url } = await collector();
    const tracing = await startTracing({ url, version: '1', logger: silentLogger });
    const app = Fastify();
    closers.push(() => app.close());
    tracing.traceRequests(app);
    app.post('/v1/traces', async () => ({}));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo; // it listens on TCP
    const headers = { 'x-trifocal-own-traces': 'guess', 'content-type': 'application/json' };
    await (await fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'POST', headers, body: '{}' })).text();
    await app.close();
    await tracing.close();
    expect(received.map(({ body }) => body).join('')).toContain('POST /v1/traces');
  });
});
