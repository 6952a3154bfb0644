import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { remoteWrite } from '../programs/remote-write.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const KILLS = 20;

/**
 * Samples, lines and spans are sent without pause while the server (even rounds) or its engine child alone (odd rounds)
 * is killed with SIGKILL. What was acknowledged must be there exactly once; what was not may be there once or not at all.
 */
test(`${KILLS} kills in the middle of ingest lose nothing and double nothing`, async () => {
  const folder = temporaryFolder('crash');
  const acknowledged = { samples: new Set<number>(), lines: new Set<number>(), spans: new Set<number>() };
  let next = 0;
  let server: RunningTrifocal = await startTrifocal({ data: folder.path });
  try {
    for (let round = 0; round < KILLS; round++) {
      const until = performance.now() + 600 + 137 * (round % 7);
      const sending = Promise.all(
        [0, 1, 2].map(async () => {
          while (performance.now() < until + 400) {
            const id = next++;
            await new Promise((resolve) => setTimeout(resolve, 20)); // so that what is sent can be read back in one answer
            await Promise.all([
              sendSample(server, id).then((ok) => ok && acknowledged.samples.add(id)),
              sendLine(server, id).then((ok) => ok && acknowledged.lines.add(id)),
              sendSpan(server, id).then((ok) => ok && acknowledged.spans.add(id)),
            ]);
          }
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, until - performance.now()));
      if (round % 2 === 0) {
        process.kill(server.serverPid, 'SIGKILL');
        await server.exited;
        await sending;
        server = await startTrifocal({ data: folder.path });
      } else {
        process.kill(engineOf(server.serverPid), 'SIGKILL');
        await sending;
      }
    }
    expect(acknowledged.samples.size).toBeGreaterThan(KILLS * 3);
    const found = await waitFor('all that was acknowledged', async () => {
      const now = await read(server, next);
      const complete =
        [...acknowledged.samples].every((id) => now.samples.has(id)) &&
        [...acknowledged.lines].every((id) => now.lines.has(id)) &&
        [...acknowledged.spans].every((id) => now.spans.has(id));
      return complete ? now : undefined;
    });
    for (const kind of ['samples', 'lines', 'spans'] as const) {
      const twice = [...found[kind]].filter(([, count]) => count > 1);
      expect(twice, `${kind} that are there more than once`).toEqual([]);
    }
  } finally {
    await server.stop();
    folder.remove();
  }
});

/** The child process that holds the engine, by its command line. */
function engineOf(serverPid: number): number {
  const children = execFileSync('ps', ['--no-headers', '-o', 'pid,args', '--ppid', String(serverPid)], {
    encoding: 'utf8',
  });
  const line = children.split('\n').find((row) => /engine/.test(row));
  if (!line) throw new Error(`no engine among:\n${children}`);
  return Number.parseInt(line, 10);
}

const acknowledges = async (request: Promise<Response>): Promise<boolean> => {
  try {
    return (await request).ok;
  } catch {
    return false; // the server died before it answered
  }
};

function sendSample(server: RunningTrifocal, id: number): Promise<boolean> {
  return acknowledges(
    remoteWrite(`${server.http}/prometheus/api/v1/write`, [
      { labels: { __name__: 'crash', id: String(id) }, samples: [{ value: id, timeMs: Date.now() }] },
    ]),
  );
}

function sendLine(server: RunningTrifocal, id: number): Promise<boolean> {
  const body = JSON.stringify({
    streams: [
      { stream: { cluster: 'crash', pod: 'p' }, values: [[String(BigInt(Date.now()) * 1_000_000n), `line ${id} end`]] },
    ],
  });
  return acknowledges(post(`${server.http}/loki/api/v1/push`, body));
}

function sendSpan(server: RunningTrifocal, id: number): Promise<boolean> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const span = {
    traceId: id.toString(16).padStart(32, '1'),
    spanId: id.toString(16).padStart(16, '1'),
    name: 'crash',
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1000n),
  };
  const resource = {
    attributes: [
      { key: 'service.name', value: { stringValue: 'crash' } },
      { key: 'k8s.cluster.name', value: { stringValue: 'crash' } },
    ],
  };
  return acknowledges(
    post(
      `${server.otlpHttp}/v1/traces`,
      JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
    ),
  );
}

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** How often each id is there. */
async function read(
  server: RunningTrifocal,
  ids: number,
): Promise<Record<'samples' | 'lines' | 'spans', Map<number, number>>> {
  const samples = new Map<number, number>();
  for (const { metric, value } of await promql(`${server.http}/prometheus`, 'count_over_time(crash[1h])'))
    samples.set(Number(metric.id), Number(value?.[1]));
  const lines = new Map<number, number>();
  const logs = (await (await fetch(`${server.http}/api/logs?cluster=crash&from=now-1h&to=now&limit=5000`)).json()) as {
    items: { body: string }[];
  }; // the contract's shape
  for (const { body } of logs.items) count(lines, Number(/line (\d+) end/.exec(body)?.[1]));
  const spans = new Map<number, number>();
  for (let id = 0; id < ids; id += 1) {
    const trace = await fetch(`${server.http}/api/traces/${id.toString(16).padStart(32, '1')}`);
    if (trace.ok) spans.set(id, ((await trace.json()) as { spans: unknown[] }).spans.length); // the contract's shape
  }
  return { samples, lines, spans };
}

function count(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
