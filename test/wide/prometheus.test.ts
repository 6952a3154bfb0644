import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_EXPORTER, PROMETHEUS, PROMTOOL, startNodeExporter, startPrometheus } from '../programs/peers.ts';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { type PromqlSeries, promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const folder = temporaryFolder('prometheus-test');
afterAll(() => folder.remove());

/** `labels → samples`, for comparison across servers; the named labels are left out. */
function byLabels(result: readonly PromqlSeries[], without: readonly string[] = []): Map<string, unknown> {
  return new Map(
    result.map(({ metric, values, value }) => {
      const labels = Object.entries(metric).filter(([name]) => !without.includes(name));
      return [JSON.stringify(labels.sort(([a], [b]) => (a < b ? -1 : 1))), values ?? value];
    }),
  );
}

describe.skipIf(!existsSync(PROMETHEUS))("Debian's Prometheus", () => {
  let server: RunningTrifocal;
  beforeAll(async () => {
    server = await startTrifocal();
  });
  afterAll(() => server.stop());

  test('delivers by remote write, and every sample is there with the same value', async () => {
    const config = `
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: self
    static_configs: [{ targets: ["127.0.0.1:SELF"], labels: { cluster: prod-eu } }]
remote_write:
  - url: ${server.http}/prometheus/api/v1/write
    queue_config: { batch_send_deadline: 200ms }
`;
    const page = await servePage(
      () =>
        'a_total 1\n# TYPE up_gauge gauge\nup_gauge{x="é\\"\\n"} NaN\nbig 1.7976931348623157e+308\nsmall{le="0.5"} -1.5e-9\ninf +Inf\n',
    );
    const peer = await startPrometheus(config.replace('127.0.0.1:SELF', page.address));
    try {
      const query = '{job="self"}[10m]';
      const delivered = await waitFor('ten scrapes', async () => {
        const result = await promql(`${server.http}/prometheus`, query);
        return result.some((series) => (series.values?.length ?? 0) >= 10) ? result : undefined;
      });
      // Prometheus holds at least what it has sent: compare on the times that have arrived.
      const theirs = byLabels(await promql(peer.url, query));
      expect(delivered.length).toBe(theirs.size);
      for (const [labels, values] of byLabels(delivered)) {
        const times = new Set((values as [number, string][]).map(([time]) => time)); // a range selector gives values
        expect((theirs.get(labels) as [number, string][]).filter(([time]) => times.has(time))).toEqual(values);
      }
    } finally {
      await peer.stop();
      await page.close();
    }
  });

  test.skipIf(!existsSync(PROMTOOL))('its promtool queries Trifocal', async () => {
    const url = `${server.http}/prometheus`;
    const run = (...args: string[]) => execFileSync(PROMTOOL, args, { encoding: 'utf8' });
    await waitFor('samples', async () => ((await promql(url, 'a_total')).length > 0 ? true : undefined));
    expect(run('query', 'instant', url, '1 + 1')).toContain('2');
    expect(run('query', 'instant', url, 'sum(last_over_time(a_total[10m]))')).toMatch(/=> 1 @/);
    const end = Math.floor(Date.now() / 1000);
    expect(
      run('query', 'range', `--start=${end - 60}`, `--end=${end}`, '--step=15s', url, 'last_over_time(big[10m])'),
    ).toMatch(/179769313486231570{290,} @/);
    expect(run('query', 'series', '--match=a_total', url)).toContain('job="self"');
    expect(run('query', 'labels', url, 'job')).toContain('self');
  });
});

describe.skipIf(!existsSync(PROMETHEUS) || !existsSync(NODE_EXPORTER))('a page of prometheus-node-exporter', () => {
  test('is scraped to the same series and values as Prometheus stores from it', async () => {
    const exporter = await startNodeExporter();
    const text = await (await fetch(`${exporter.url}/metrics`)).text();
    await exporter.stop();
    const page = await servePage(() => text);
    const job = (extra: string) =>
      `[{ job_name: node, scrape_interval: 1s, scrape_timeout: 1s, static_configs: [{ targets: ["${page.address}"]${extra} }] }]`;
    const config = join(folder.path, 'trifocal.yaml');
    writeFileSync(config, `clusters:\n  - name: prod-eu\n    scrape_configs: ${job('')}\n`);
    const server = await startTrifocal({ args: ['--config', config] });
    const peer = await startPrometheus(`scrape_configs: ${job(', labels: { cluster: prod-eu }')}\n`);
    try {
      const query = '{job="node"}';
      const settled = async (url: string) => {
        const result = await promql(url, query);
        return result.length > 300 && result.some(({ metric }) => metric.__name__ === 'scrape_series_added')
          ? result
          : undefined;
      };
      const [ours, theirs] = [
        await waitFor('our scrape', () => settled(`${server.http}/prometheus`)),
        await waitFor('their scrape', () => settled(peer.url)),
      ];
      const values = (result: PromqlSeries[]) =>
        new Map(
          [...byLabels(result)]
            .filter(([labels]) => !/"scrape_(duration|series_added)/.test(labels))
            .map(([labels, value]) => [asPrometheus3(labels), (value as [number, string])[1]]), // instant results have a value
        );
      expect(values(ours)).toEqual(values(theirs));
      expect(values(ours).size).toBeGreaterThan(300);
    } finally {
      await Promise.all([server.stop(), peer.stop()]);
      await page.close();
    }
  });
});

/** Prometheus 3 writes whole bounds and quantiles as floats, `1.0`; older releases leave them as the page has them. */
function asPrometheus3(labels: string): string {
  return labels.replace(/\["(le|quantile)","(\d+)"\]/g, '["$1","$2.0"]');
}

/** A fixed page behind HTTP, so that two scrapers see the very same bytes. */
async function servePage(text: () => string): Promise<{ address: string; close(): Promise<void> }> {
  const http = createServer((_, response) =>
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8').end(text()),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // it listens on TCP
  return { address: `127.0.0.1:${port}`, close: () => new Promise((resolve) => http.close(() => resolve())) };
}
