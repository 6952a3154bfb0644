import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { type PromqlSeries, promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

/**
 * The demo estate on data that an earlier run left: it goes on where that ended, so that no two histories lie over each
 * other. Only counters begin anew, once, as they do when programs restart.
 */
const folder = temporaryFolder('restart');
let server: RunningTrifocal;
let output: string;

async function startDemo(): Promise<RunningTrifocal> {
  const args = ['--demo', '--fault', 'gpu-thermal-throttle'];
  const started = await startTrifocal({ program: 'source', data: folder.path, args });
  await waitFor('the history', async () => (/history was replayed/.test(started.output()) ? true : undefined), 120);
  return started;
}

const ask = (query: string) => promql(`${server.http}/prometheus`, query);

async function first(query: string): Promise<number> {
  return Number((await ask(query))[0]?.value?.[1]);
}

/** All samples of the last 65 minutes. */
async function samples(selector: string): Promise<PromqlSeries[]> {
  return ask(`${selector}[65m]`);
}

beforeAll(async () => {
  server = await startDemo();
  const presentAt = Date.now() / 1000;
  await waitFor('a live scrape', async () =>
    (await first('max(timestamp(up{job="vllm"}))')) > presentAt ? true : undefined,
  );
  await server.stop();
  server = await startDemo();
  output = server.output();
}, 300_000);

afterAll(async () => {
  await server.stop();
  folder.remove();
});

describe('the demo started again on its own data', () => {
  test('only the time since then is replayed', () => {
    expect(output).toMatch(/goes on where the data ends/);
    const replayed = Number(/history delivered.*samples=(\d+)/.exec(output)?.[1]);
    expect(replayed).toBeGreaterThan(0);
    expect(replayed).toBeLessThan(300_000);
  });

  test('no series carries two histories: samples keep their distance except where one run takes over from another', async () => {
    const series = [
      ...(await samples('up{cluster=~"prod-eu|prod-us"}')),
      ...(await samples('vllm:num_requests_running')),
    ];
    expect(series.length).toBeGreaterThan(55);
    for (const { metric, values = [] } of series) {
      const interval = /^(node-exporter|cadvisor|kube-state-metrics)$/.test(metric.job ?? '') ? 30 : 15;
      const distances = values.slice(1).map(([time], i) => time - (values[i]?.[0] ?? 0));
      // From replay to scraping, to the second replay, and to scraping again.
      expect(
        distances.filter((distance) => distance < interval - 1).length,
        JSON.stringify(metric),
      ).toBeLessThanOrEqual(3);
      if (metric.job !== 'rag-api') expect(Math.max(...distances), JSON.stringify(metric)).toBeLessThan(90);
    }
  });

  test('rates stay what replicas can do', async () => {
    const end = Date.now() / 1000;
    const range = { start: end - 3600, end, step: 15 };
    const rates = await promql(`${server.http}/prometheus`, 'rate(vllm:generation_tokens_total[5m])', range);
    expect(rates.length).toBe(10);
    for (const { metric, values = [] } of rates) {
      expect(values.length).toBeGreaterThan(200);
      expect(Math.max(...values.map(([, value]) => Number(value))), metric.pod).toBeLessThan(2000);
    }
    for (const { metric, value } of await ask('resets(vllm:generation_tokens_total[65m])'))
      expect(Number(value?.[1]), metric.pod).toBeLessThanOrEqual(1);
  });

  test('objects are the same ones, of the same age', async () => {
    const moved = await ask(
      'max_over_time(kube_pod_created[65m]) - min_over_time(kube_pod_created[65m]) != 0 or changes(kube_node_created[65m]) != 0',
    );
    expect(moved).toEqual([]);
    expect(await first('count(kube_replicaset_created{replicaset=~"rag-api-.*",cluster="prod-eu"})')).toBe(2);
    expect(await first('count(count by (uid) (last_over_time(kube_pod_created{cluster="prod-eu"}[65m])))')).toBe(25);
  });

  test('the fault goes on without a pause', async () => {
    const clock = 'DCGM_FI_DEV_SM_CLOCK{cluster="prod-eu",pod="llama-3-70b-1"}';
    expect(await first(`min(max_over_time(${clock}[10m]))`)).toBeLessThan(1200);
  });
});
