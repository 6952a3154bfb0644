import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ProtoWriter } from '../../src/ingest/receivers/wire/index.ts';
import { PROMETHEUS, startPrometheus } from '../programs/peers.ts';
import { waitFor } from '../programs/process.ts';
import { promql, startTrifocal } from '../programs/trifocal.ts';

const FLAGS = ['--enable-feature=native-histograms,exemplar-storage'];

test.skipIf(!existsSync(PROMETHEUS))(
  "Debian's Prometheus delivers native histograms and exemplars, and both answer alike",
  async () => {
    const server = await startTrifocal();
    const page = await servePage();
    const peer = await startPrometheus(
      `
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: self
    static_configs: [{ targets: ["${page.address}"], labels: { cluster: prod-eu } }]
remote_write:
  - url: ${server.http}/prometheus/api/v1/write
    send_exemplars: true
    send_native_histograms: true
    queue_config: { batch_send_deadline: 200ms }
`,
      FLAGS,
    );
    try {
      const ours = `${server.http}/prometheus`;
      await waitFor('histograms', async () => {
        const [found] = await promql(ours, 'count_over_time(latency[10m])');
        return Number(found?.value?.[1] ?? 0) >= 5 ? true : undefined;
      });
      const time = Math.floor(Date.now() / 1000) - 1;
      for (const query of ['latency', 'histogram_count(latency)', 'histogram_sum(latency)', 'sum(latency)']) {
        const [mine, theirs] = [await promql(ours, query, { time }), await promql(peer.url, query, { time })];
        expect(mine).toHaveLength(1);
        expect(rounded(mine)).toEqual(rounded(theirs));
      }
      const exemplars = async (base: string) => {
        const answer = await fetch(
          `${base}/api/v1/query_exemplars?query=requests_total&start=${EXEMPLAR_AT - 1}&end=${EXEMPLAR_AT + 1}`,
        );
        return ((await answer.json()) as { data: unknown }).data; // Prometheus' envelope
      };
      expect(await exemplars(ours)).toEqual(await exemplars(peer.url));
      expect(JSON.stringify(await exemplars(ours))).toContain('0af7651916cd43dd8448eb211c80319c');
    } finally {
      await Promise.all([server.stop(), peer.stop()]);
      await page.close();
    }
  },
);

/** Prometheus' bounds come from a table that is off by the last bit here and there. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part) =>
    typeof part === 'string' && /^-?[\d.]+$/.test(part) ? Number(part).toPrecision(12) : part,
  );
}

const EXEMPLAR_AT = Math.floor(Date.now() / 1000) - 5;

/** Families of the exposition format in protobuf, the only one that carries native histograms; each scrape has seen more. */
async function servePage(): Promise<{ address: string; close(): Promise<void> }> {
  let scrapes = 0;
  const http = createServer((_, response) => {
    scrapes++;
    response.setHeader(
      'content-type',
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    );
    response.end(Buffer.concat([delimited(histogramFamily(scrapes)), delimited(counterFamily(scrapes))]));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // it listens on TCP
  return { address: `127.0.0.1:${port}`, close: () => new Promise((resolve) => http.close(() => resolve())) };
}

function histogramFamily(scrapes: number): ProtoWriter {
  const span = (offset: number, length: number) => new ProtoWriter().varint(1, zigzag(offset)).varint(2, length);
  // Buckets: two behind each other, a gap of one, one more; below zero one; `scrapes` observations in each.
  const histogram = new ProtoWriter()
    .varint(1, 5 * scrapes)
    .double(2, 2.5 * scrapes)
    .varint(5, zigzag(1))
    .double(6, 0.001)
    .varint(7, scrapes)
    .bytes(9, span(1, 1))
    .varint(10, zigzag(scrapes))
    .bytes(12, span(-1, 2))
    .bytes(12, span(1, 1))
    .varint(13, zigzag(scrapes))
    .varint(13, 0)
    .varint(13, 0);
  return family('latency', 4, new ProtoWriter().bytes(7, histogram));
}

function counterFamily(scrapes: number): ProtoWriter {
  const label = new ProtoWriter().bytes(1, 'trace_id').bytes(2, '0af7651916cd43dd8448eb211c80319c');
  const exemplar = new ProtoWriter().bytes(1, label).double(2, 0.25).bytes(3, new ProtoWriter().varint(1, EXEMPLAR_AT));
  const counter = new ProtoWriter().double(1, scrapes).bytes(2, exemplar);
  return family('requests_total', 0, new ProtoWriter().bytes(3, counter));
}

function family(name: string, type: number, metric: ProtoWriter): ProtoWriter {
  return new ProtoWriter().bytes(1, name).bytes(2, 'Help.').varint(3, type).bytes(4, metric);
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Length, then the message: what a bytes field is behind its one byte of tag. */
function delimited(message: ProtoWriter): Buffer {
  return new ProtoWriter().bytes(1, message).finish().subarray(1);
}
