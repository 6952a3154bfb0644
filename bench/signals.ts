import { cpuSeconds, waitFor } from '../test/programs/process.ts';
import { startTrifocal } from '../test/programs/trifocal.ts';
import type { Figure } from './figure.ts';

const SPANS = 200_000;
const LINES = 400_000;

/** Spans by OTLP and log lines by Loki push, from bytes on the wire to rows that can be searched. */
export async function benchSignals(machine: string): Promise<Figure[]> {
  const server = await startTrifocal();
  try {
    const spans = await measure(server, SPANS, 'spans', '/v1/traces', spanBodies());
    const lines = await measure(server, LINES, 'logs', '/loki/api/v1/push', lineBodies());
    return [
      { name: 'OTLP JSON traces', unit: 'spans per CPU second', trifocal: Math.round(spans), machine },
      { name: 'Loki push JSON', unit: 'lines per CPU second', trifocal: Math.round(lines), machine },
    ];
  } finally {
    await server.stop();
  }
}

async function measure(
  server: { http: string; pid: number },
  total: number,
  table: string,
  path: string,
  bodies: Iterable<string>,
): Promise<number> {
  console.log(`Trifocal: ${total.toLocaleString('en')} ${table} …`);
  const before = cpuSeconds(server.pid);
  for (const body of bodies) {
    const response = await fetch(server.http + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }
  await waitFor(`all ${table}`, async () => ((await rows(server.http, table)) >= total ? true : undefined), 180);
  return total / (cpuSeconds(server.pid) - before);
}

async function rows(base: string, table: string): Promise<number> {
  const answer = (await (await fetch(`${base}/api/telemetry`)).json()) as { tables: { name: string; rows: number }[] }; // the contract's shape
  return answer.tables.find(({ name }) => name === table)?.rows ?? 0;
}

function* spanBodies(): Generator<string> {
  const perBody = 2000;
  for (let from = 0; from < SPANS; from += perBody) {
    const spans = Array.from({ length: perBody }, (_, i) => {
      const id = from + i;
      const start = BigInt(Date.now() - 60_000) * 1_000_000n + BigInt(id * 1000);
      return {
        traceId: (id >> 2).toString(16).padStart(32, 'a'),
        spanId: id.toString(16).padStart(16, 'b'),
        name: `GET /v1/things/${id % 30}`,
        kind: 2,
        startTimeUnixNano: String(start),
        endTimeUnixNano: String(start + 20_000_000n),
        attributes: Array.from({ length: 8 }, (_, a) => ({
          key: `attribute.${a}`,
          value: { stringValue: `value ${(id * (a + 1)) % 1000}` },
        })),
      };
    });
    const resource = {
      attributes: [
        { key: 'service.name', value: { stringValue: 'bench' } },
        { key: 'k8s.cluster.name', value: { stringValue: 'bench' } },
      ],
    };
    yield JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  }
}

function* lineBodies(): Generator<string> {
  const perBody = 4000;
  for (let from = 0; from < LINES; from += perBody) {
    const values = Array.from({ length: perBody }, (_, i) => {
      const id = from + i;
      const time = BigInt(Date.now() - 60_000) * 1_000_000n + BigInt(id);
      return [
        String(time),
        `INFO request id=req-${id} path=/v1/chat/completions status=200 took=${id % 977} ms user=user-${id % 5000}`,
      ];
    });
    yield JSON.stringify({
      streams: [
        { stream: { cluster: 'bench', namespace: 'inference', pod: `pod-${from % 7}`, container: 'app' }, values },
      ],
    });
  }
}
