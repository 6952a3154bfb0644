import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REMOTE_WRITE_HEADERS, remoteWriteBody } from '../programs/remote-write.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

/**
 * What hostile or clumsy clients do to everybody else: nothing. While each of them is at work, a probe asks for a page and a
 * query again and again, and none of its questions may wait longer than a second.
 */
const MAX_WAIT_MS = 1000;

describe('others are not held up', () => {
  let server: RunningTrifocal;
  beforeAll(async () => {
    server = await startTrifocal();
    await writeSample('before', 1);
  });
  afterAll(() => server?.stop());

  const writeUrl = () => `${server.http}/prometheus/api/v1/write`;
  const writeSample = (name: string, value: number) =>
    fetch(writeUrl(), {
      method: 'POST',
      headers: REMOTE_WRITE_HEADERS,
      body: new Uint8Array(remoteWriteBody([{ labels: { __name__: name }, samples: [{ value, timeMs: Date.now() }] }])),
    });

  /** Probes until `work` has ended, and returns the longest wait in ms. */
  async function longestWait(work: Promise<unknown>): Promise<number> {
    let over = false;
    const done = work.finally(() => {
      over = true;
    });
    let longest = 0;
    while (!over) {
      for (const ask of [
        () => fetch(`${server.http}/api/status`).then((response) => response.arrayBuffer()),
        () => promql(`${server.http}/prometheus`, 'vector(1)'),
        () => writeSample('probe', 1).then((response) => expect(response.status).toBe(204)),
      ]) {
        const started = performance.now();
        await ask();
        longest = Math.max(longest, performance.now() - started);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await done;
    return longest;
  }

  const post = (path: string, type: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${path.startsWith('/v1') ? server.otlpHttp : server.http}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body,
    }).then(
      async (response) => `${response.status} ${(await response.text()).slice(0, 200)}`,
      // A server that refuses a body may close the connection before it was read.
      (error: Error) => `closed ${String(error.cause ?? error)}`,
    );

  test('by bodies of 100 MB', async () => {
    const big = new Uint8Array(100 * 2 ** 20);
    const answers: string[] = [];
    const wait = await longestWait(
      (async () => {
        for (const path of ['/v1/traces', '/v1/logs', '/v1/metrics']) {
          answers.push(await post(path, 'application/json', big), await post(path, 'application/x-protobuf', big));
        }
        answers.push(await post('/loki/api/v1/push', 'application/json', big));
        answers.push(await post('/prometheus/api/v1/write', 'application/x-protobuf', big));
      })(),
    );
    for (const answer of answers) expect(answer).toMatch(/^(413|closed)/);
    expect(wait).toBeLessThan(MAX_WAIT_MS);
  });

  test('by the largest bodies that are taken, in JSON, from several senders at once', async () => {
    const record = (i: number) => ({
      timeUnixNano: `${Date.now()}000000`,
      body: { stringValue: `request ${i} took ${i % 700} ms for tenant-${i % 40}, status=200` },
      attributes: [{ key: 'n', value: { intValue: String(i) } }],
    });
    const logs = Buffer.from(
      JSON.stringify({
        resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 100_000 }, (_, i) => record(i)) }] }],
      }),
    );
    expect(logs.length).toBeGreaterThan(15 * 2 ** 20);
    expect(logs.length).toBeLessThan(20 * 2 ** 20);
    const answers: string[] = [];
    const wait = await longestWait(
      Promise.all(
        [0, 1, 2].map(async (sender) => {
          const headers = { 'user-agent': `sender-${sender}` };
          answers.push(await post('/v1/logs', 'application/json', new Uint8Array(logs), headers));
        }),
      ),
    );
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '200', '200']);
    expect(wait).toBeLessThan(MAX_WAIT_MS);
  });

  test('by zip bombs', async () => {
    const member = gzipSync(Buffer.alloc(2 ** 20), { level: 9 });
    const bomb = new Uint8Array(Buffer.concat(Array.from({ length: 15_000 }, () => member)));
    expect(bomb.length).toBeLessThan(20 * 2 ** 20);
    const answers: string[] = [];
    const wait = await longestWait(
      (async () => {
        for (const path of ['/v1/logs', '/loki/api/v1/push']) {
          answers.push(await post(path, 'application/json', bomb, { 'content-encoding': 'gzip' }));
        }
        // Announces four gigabytes.
        answers.push(
          await post('/prometheus/api/v1/write', 'application/x-protobuf', Uint8Array.of(255, 255, 255, 255, 15, 0)),
        );
      })(),
    );
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['413', '413', '413']);
    expect(wait).toBeLessThan(MAX_WAIT_MS);
  });

  test('by senders that never finish and readers that never read', async () => {
    const sockets = Array.from({ length: 40 }, (_, i) => {
      const { hostname, port } = new URL(server.http);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      // Half of them announce a body and stall; the others ask and do not take the answer.
      const request =
        i % 2 === 0
          ? `POST /loki/api/v1/push HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 20000000\r\n\r\n{`
          : `GET /api/signals HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`.repeat(50);
      socket.pause();
      socket.write(request);
      return socket;
    });
    const wait = await longestWait(new Promise((resolve) => setTimeout(resolve, 3000)));
    for (const socket of sockets) socket.destroy();
    expect(wait).toBeLessThan(MAX_WAIT_MS);
  });

  test('and all that was acknowledged meanwhile is there', async () => {
    await expect.poll(() => promql(`${server.http}/prometheus`, 'before'), { timeout: 30_000 }).toHaveLength(1);
    const loops = await (await fetch(`${server.http}/metrics`)).text();
    expect(loops).toMatch(/trifocal_eventloop_delay_seconds\{thread="ingest",quantile="1"\} \d/);
  });
});
