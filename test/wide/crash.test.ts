import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { openStore, selectRows } from '../../src/store/index.ts';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { remoteWrite } from '../programs/remote-write.ts';
import { type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const KILLS = 20;

/**
 * Samples, lines and spans are sent without pause while the server (even rounds) or its engine child alone (odd rounds)
 * is killed with SIGKILL. Of what was acknowledged the tables must hold exactly one row; of what was not, one or
 * none.
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
            await new Promise((resolve) => setTimeout(resolve, 5));
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
    await waitFor('an empty spool', async () => {
      const metrics = await (await fetch(`${server.http}/metrics`)).text();
      return /^trifocal_spool_bytes 0$/m.test(metrics) || undefined;
    });
    await server.stop();
    const found = await countRows(folder.path);
    for (const kind of ['samples', 'lines', 'spans'] as const) {
      const lost = [...acknowledged[kind]].filter((id) => !found[kind].has(id));
      const twice = [...found[kind]].filter(([, count]) => count > 1);
      expect({ kind, lost, twice }).toEqual({ kind, lost: [], twice: [] });
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
    traceId: `1${id.toString(16).padStart(31, '0')}`,
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

/** How many rows the tables of a stopped server hold for each id: not what queries answer, since those see two as one. */
async function countRows(data: string): Promise<Record<'samples' | 'lines' | 'spans', Map<number, number>>> {
  const store = await openStore({
    engine: { kind: 'embedded', folder: join(data, 'engine'), memoryBytes: 2 ** 30 },
    retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
    clock: systemClock,
    logger: silentLogger,
  });
  const count = async (id: string, from: string) => {
    const text = `SELECT toUInt64(${id}) AS id, count() AS found FROM ${from} GROUP BY id`;
    const rows = await selectRows(store.port, { text, params: {} }, { limits: { seconds: 60, memoryBytes: 2 ** 29 } });
    return new Map(rows.map((row) => [Number(row.id), Number(row.found)]));
  };
  try {
    return {
      samples: await count('value', "samples WHERE series_id IN (SELECT series_id FROM series WHERE metric = 'crash')"),
      lines: await count("splitByChar(' ', body)[2]", "logs WHERE cluster = 'crash'"),
      spans: await count('reinterpretAsUInt64(reverse(substring(trace_id, 9)))', "spans WHERE cluster = 'crash'"),
    };
  } finally {
    await store.close();
  }
}
