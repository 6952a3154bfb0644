import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { BackPressureError, RateLimitError, type Rejection } from '../sink.ts';
import {
  createAdmission,
  type Door,
  type DoorAnswer,
  type DoorService,
  httpDoors,
  openDoors,
  parseContentType,
  textAnswer,
} from './index.ts';
import { readBody } from './read-body.ts';
import { senderOf } from './sender.ts';

const door: Door = {
  name: 'x',
  transport: 'http',
  path: '/x',
  protocol: 'loki',
  signal: 'logs',
  fail: ({ kind, status, message }) => textAnswer(status, `${kind}: ${message}`),
};

/** A server with one door that answers by `handle`, or by what `service` makes of it. */
function open(
  handle: () => Promise<DoorAnswer>,
  admission = createAdmission({ maxBytes: 100, concurrency: 2 }),
  change = (service: DoorService) => service,
) {
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
  app.register(httpDoors([door], { service: change(service), admission, maxBodyBytes: 10, logger: silentLogger }));
  return {
    app,
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

  it('says what its service cannot in the protocol’s words, too', async () => {
    const restarting = async () => {
      throw new BackPressureError('ingest is being restarted', 2);
    };
    const { send } = open(fine, undefined, (service) => ({ ...service, handle: restarting }));
    const answer = await send();
    expect(answer).toMatchObject({ statusCode: 503, body: 'busy: ingest is being restarted' });
    expect(answer.headers['retry-after']).toBe('2');
  });

  it('has no room for a body while others fill it, and has it again when they have gone', async () => {
    const gate = createGate();
    const admission = createAdmission({ maxBytes: 10, concurrency: 2 });
    const { send } = open(() => gate.opened.then(fine), admission);
    const first = send({}, '12345');
    await expect.poll(() => admission.stats().bytes).toBe(5);
    expect((await send({ 'user-agent': 'other' }, '12345')).statusCode).toBe(503);
    gate.open();
    expect((await first).statusCode).toBe(200);
    expect(admission.stats().bytes).toBe(0);
    expect((await send({ 'user-agent': 'other' }, '12345')).statusCode).toBe(200);
  });

  describe('with clients that leave', () => {
    const gate = createGate();
    const admission = createAdmission({ maxBytes: 100, concurrency: 1 });
    let begun = 0;
    const { app } = open(() => {
      begun++;
      return gate.opened.then(fine);
    }, admission);
    const sockets: Socket[] = [];
    let url: string;
    beforeAll(async () => {
      app.addHook('onRequest', async ({ socket }) => void sockets.push(socket));
      url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/x`;
    });
    afterAll(() => app.close());
    const post = (signal: AbortSignal) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '12345', signal }).then(
        () => 'answered',
        () => 'left',
      );

    it('holds the room of what is still worked on, and begins nothing for those who have gone', async () => {
      const leaving = new AbortController();
      const left = [post(leaving.signal), post(leaving.signal)];
      await expect.poll(() => admission.stats()).toEqual({ bytes: 10, waiting: 1 });
      leaving.abort();
      expect(await Promise.all(left)).toEqual(['left', 'left']);
      await expect.poll(() => sockets.map((socket) => socket.destroyed)).toEqual([true, true]);
      expect(admission.stats()).toEqual({ bytes: 10, waiting: 1 });
      gate.open();
      await expect.poll(() => admission.stats()).toEqual({ bytes: 0, waiting: 0 });
      expect(begun).toBe(1);
    });
  });
});

describe('reading a body', () => {
  const open = (limit: number) => {
    const payload = new PassThrough();
    const admission = createAdmission({ maxBytes: 100, concurrency: 1 });
    const room = admission.enter('10.0.0.4');
    // A readable is all that is used of a request.
    return { payload, admission, body: readBody(payload as unknown as IncomingMessage, room, limit) };
  };

  it('takes room as bytes come, not as they are announced', async () => {
    const { payload, admission, body } = open(50);
    expect(admission.stats().bytes).toBe(0);
    payload.write('1234567890');
    await expect.poll(() => admission.stats().bytes).toBe(10);
    payload.end('abc');
    expect((await body).toString()).toBe('1234567890abc');
  });

  it.each([
    [12, /too large: the limit is 12/],
    [1000, /bytes from this address/],
  ])('ends with the limit of %d bytes or without room', async (limit, message) => {
    const { payload, body } = open(limit);
    for (let i = 0; i < 6; i++) payload.write('1234567890');
    await expect(body).rejects.toThrow(message);
  });

  it('ends when the sender leaves in the middle', async () => {
    const { payload, body } = open(50);
    payload.write('12');
    payload.destroy();
    await expect(body).rejects.toThrow('ended before its time');
  });
});

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('admission', () => {
  it('keeps half of the room for other addresses', () => {
    const admission = createAdmission({ maxBytes: 100, concurrency: 1 });
    const first = admission.enter('a');
    first.grow(45);
    expect(() => admission.enter('a').grow(10)).toThrow(/45 bytes from this address/);
    admission.enter('b').grow(50);
    expect(() => admission.enter('c').grow(6)).toThrow(/95 bytes of requests/);
    first.release();
    first.release();
    expect(admission.stats().bytes).toBe(50);
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
