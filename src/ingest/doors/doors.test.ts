import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { BackPressureError, RateLimitError, type Rejection } from '../sink.ts';
import {
  createAdmission,
  type Door,
  type DoorAnswer,
  httpDoors,
  openDoors,
  parseContentType,
  textAnswer,
} from './index.ts';
import { senderOf } from './sender.ts';

const door: Door = {
  name: 'x',
  transport: 'http',
  path: '/x',
  protocol: 'loki',
  signal: 'logs',
  fail: ({ kind, status, message }) => textAnswer(status, `${kind}: ${message}`),
};

/** A server with one door that answers by `handle`. */
function open(handle: () => Promise<DoorAnswer>, admission = createAdmission({ maxBytes: 100, concurrency: 2 })) {
  const dropped: Rejection[] = [];
  const service = openDoors([{ doors: [door], open: () => new Map([['x', handle]]) }], {
    sink: { accept: async () => ({ rejected: [] }), drop: (rejection) => dropped.push(rejection) },
    clock: systemClock,
    logger: silentLogger,
  });
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) =>
    reply.status(418).send(`outer: ${error instanceof Error ? error.message : ''}`),
  );
  app.addHook('onRequest', async (request) => {
    if (request.headers.host === 'evil') throw new Error('foreign host');
  });
  app.register(httpDoors([door], { service, admission, maxBodyBytes: 10 }));
  return {
    dropped,
    send: (headers: Record<string, string> = {}, payload = 'x') =>
      app.inject({ method: 'POST', url: '/x', headers: { 'content-type': 'application/json', ...headers }, payload }),
  };
}

const fine = async () => textAnswer(200, 'fine');

describe('an HTTP door', () => {
  it('leaves what the server around it refuses to that server', async () => {
    const { send } = open(fine);
    expect(await send({ host: 'evil' })).toMatchObject({ statusCode: 418, body: 'outer: foreign host' });
    expect(await send()).toMatchObject({ statusCode: 200, body: 'fine' });
  });

  it('answers what nobody expected without telling its insides', async () => {
    const { send } = open(async () => {
      throw new Error('secret detail');
    });
    expect(await send()).toMatchObject({
      statusCode: 500,
      body: 'unexpected: unexpected error; the log has the details',
    });
  });

  it.each([
    ['application/json', 'fine', 200],
    ['text/plain', 'unsupported', 415],
    ['nonsense', 'unsupported', 415],
    ['', 'unsupported', 415],
  ])('content type "%s" is %s %d', async (type, kind, code) => {
    const answer = await open(fine).send({ 'content-type': type });
    expect(answer.statusCode).toBe(code);
    expect(answer.body).toContain(kind);
  });

  it('refuses a body over the limit and counts it', async () => {
    const { send, dropped } = open(fine);
    expect(await send({}, 'x'.repeat(11))).toMatchObject({ statusCode: 413 });
    expect(dropped).toMatchObject([{ reason: 'oversize', signal: 'logs' }]);
  });

  it.each([
    [new BackPressureError('full', 4.2), 503, '5'],
    [new RateLimitError('too fast', 1), 429, '1'],
  ])('%s is answered with %d and Retry-After', async (error, status, after) => {
    const { send } = open(async () => {
      throw error;
    });
    const answer = await send();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([status, after]);
  });

  it('has no room for a body while others fill it, and has it again when they have gone', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const admission = createAdmission({ maxBytes: 9, concurrency: 2 });
    const { send } = open(async () => {
      await slow;
      return fine();
    }, admission);
    const first = send({}, '12345');
    await expect.poll(() => admission.stats().bytes).toBe(5);
    expect((await send({ 'user-agent': 'other' }, '12345')).statusCode).toBe(503);
    finish();
    expect((await first).statusCode).toBe(200);
    await expect.poll(() => admission.stats().bytes).toBe(0);
    expect((await send({ 'user-agent': 'other' }, '12345')).statusCode).toBe(200);
  });
});

describe('admission', () => {
  it('keeps half of the room for other senders', () => {
    const admission = createAdmission({ maxBytes: 100, concurrency: 1 });
    const release = admission.reserve('a', 45);
    expect(() => admission.reserve('a', 10)).toThrow(/45 bytes of this sender/);
    admission.reserve('b', 55);
    expect(() => admission.reserve('c', 1)).toThrow(/100 bytes of other requests/);
    release();
    release();
    expect(admission.stats().bytes).toBe(55);
  });

  it('lets senders take turns, however much one of them sends', async () => {
    const admission = createAdmission({ maxBytes: 100, concurrency: 1 });
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const request = (sender: string) =>
      admission.inTurn(sender, async () => {
        order.push(sender);
        await new Promise<void>((resolve) => gates.push(resolve));
      });
    const all = [...['a', 'a', 'a', 'a'].map(request), request('b'), request('c')];
    for (let done = 0; done < all.length; done++) {
      await expect.poll(() => gates.length).toBe(1);
      gates.pop()?.();
    }
    await Promise.all(all);
    expect(order.join('')).toBe('aabcaa');
    expect(admission.stats().waiting).toBe(0);
  });
});

it('a content type is parsed with its parameters', () => {
  expect(parseContentType('Application/X-Protobuf; proto="io.prometheus.write.v2.Request" ;a=b')).toEqual({
    type: 'application/x-protobuf',
    parameters: new Map([
      ['proto', 'io.prometheus.write.v2.Request'],
      ['a', 'b'],
    ]),
  });
});

it.each([
  ['::ffff:10.0.0.4', 'Prometheus/2.42.0', '10.0.0.4 Prometheus/2.42.0'],
  ['10.0.0.4', 'Grafana Alloy/1.5 (linux)', '10.0.0.4 Grafana'],
  ['::1', undefined, '::1'],
  [undefined, 'a\u0000b', 'unknown ab'],
])('the sender at %s with %s is "%s"', (address, agent, shown) => {
  expect(senderOf(address, agent)).toBe(shown);
});
