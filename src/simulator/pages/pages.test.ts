import { expect, test } from 'vitest';
import { defaultEstate } from '../blueprint.ts';
import { createEstate } from '../estate.ts';
import { renderPage } from './page.ts';

const estate = createEstate({
  seed: 4,
  startMs: Date.parse('2026-03-04T09:00:00Z'),
  plan: defaultEstate().slice(0, 1),
});
estate.runTo(estate.now + 120_000);

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A strict reader of the text format, written apart from the renderer. */
function parsePage(text: string): { types: Map<string, string>; samples: Sample[] } {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  let family = '';
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.slice(0, -1).split('\n')) {
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/.exec(line);
    if (type) {
      family = type[1] ?? '';
      expect(types.has(family), `${family} is declared once`).toBe(false);
      types.set(family, type[2] ?? '');
      continue;
    }
    if (/^# HELP [a-zA-Z_:][a-zA-Z0-9_:]* \S/.test(line)) continue;
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    const name = sample?.[1] ?? '';
    const base = types.get(family) === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name;
    if (!sample || base !== family) throw new Error(`not a sample of ${family}: ${line}`);
    const labels = Object.fromEntries(
      [...(sample?.[2] ?? '').matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)].map((m) => [
        m[1],
        m[2],
      ]),
    );
    samples.push({ name, labels, value: Number(sample?.[3]) });
  }
  return { types, samples };
}

const pages = new Map<string, ReturnType<typeof parsePage>>();
for (const target of estate.targets) {
  if (!pages.has(target.job)) pages.set(target.job, parsePage(renderPage(target.page)));
}

test('every page is valid, and no series occurs twice on it', () => {
  for (const target of estate.targets) {
    const { samples } = parsePage(renderPage(target.page));
    const keys = samples.map(({ name, labels }) => name + JSON.stringify(labels));
    expect(new Set(keys).size).toBe(keys.length);
    expect(samples.every(({ value }) => Number.isFinite(value))).toBe(true);
    // A label that the target has too would be renamed to exported_… by the scraper.
    const taken = [...Object.keys(target.labels), 'job', 'cluster'];
    expect(samples.filter(({ labels }) => taken.some((name) => name in labels))).toEqual([]);
  }
});

test('counters never go back and buckets are cumulative', () => {
  const before = new Map(estate.targets.map((target) => [target, parsePage(renderPage(target.page))] as const));
  estate.runTo(estate.now + 60_000);
  let compared = 0;
  const backwards: string[] = [];
  for (const [target, then] of before) {
    const now = parsePage(renderPage(target.page));
    const byKey = new Map(now.samples.map((sample) => [sample.name + JSON.stringify(sample.labels), sample.value]));
    for (const { name, labels, value } of then.samples) {
      const family = name.replace(/_(bucket|sum|count)$/, '');
      if (now.types.get(name) !== 'counter' && now.types.get(family) !== 'histogram') continue;
      compared++;
      const key = name + JSON.stringify(labels);
      if (!((byKey.get(key) ?? -1) >= value)) backwards.push(key);
    }
    const buckets = now.samples.filter(({ name }) => name.endsWith('_bucket'));
    for (let i = 1; i < buckets.length; i++) {
      const [a, b] = [buckets[i - 1], buckets[i]];
      if (a && b && a.name === b.name && a.labels.le !== '+Inf' && b.value < a.value) backwards.push(b.name);
    }
  }
  expect(backwards).toEqual([]);
  expect(compared).toBeGreaterThan(2000);
});

/** Names and labels that others build on, from signals.md. */
const EXPECTED: [job: string, series: string, type: string, labels: string[]][] = [
  ['vllm', 'vllm:num_requests_running', 'gauge', ['model_name', 'engine']],
  ['vllm', 'vllm:num_requests_waiting', 'gauge', ['model_name', 'engine']],
  ['vllm', 'vllm:kv_cache_usage_perc', 'gauge', ['model_name', 'engine']],
  ['vllm', 'vllm:num_preemptions_total', 'counter', ['model_name', 'engine']],
  ['vllm', 'vllm:prefix_cache_hits_total', 'counter', ['model_name', 'engine']],
  ['vllm', 'vllm:request_success_total', 'counter', ['model_name', 'engine', 'finished_reason']],
  ['vllm', 'vllm:time_to_first_token_seconds', 'histogram', ['model_name', 'engine', 'le']],
  ['vllm', 'vllm:inter_token_latency_seconds', 'histogram', ['model_name', 'engine', 'le']],
  ['vllm', 'vllm:e2e_request_latency_seconds', 'histogram', ['model_name', 'engine', 'le']],
  ['vllm', 'vllm:iteration_tokens_total', 'histogram', ['model_name', 'engine', 'le']],
  ['dcgm-exporter', 'DCGM_FI_DEV_SM_CLOCK', 'gauge', ['gpu', 'UUID', 'Hostname', 'modelName', 'namespace', 'pod', 'container']],
  ['dcgm-exporter', 'DCGM_FI_DEV_THERMAL_VIOLATION', 'counter', ['UUID']],
  ['dcgm-exporter', 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS', 'gauge', ['UUID']],
  ['dcgm-exporter', 'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', 'counter', ['UUID']],
  ['dcgm-exporter', 'DCGM_FI_DEV_XID_ERRORS', 'gauge', ['UUID', 'err_code', 'err_msg']],
  ['node-exporter', 'node_cpu_seconds_total', 'counter', ['cpu', 'mode']],
  ['node-exporter', 'node_pressure_cpu_waiting_seconds_total', 'counter', []],
  ['node-exporter', 'node_uname_info', 'gauge', ['nodename']],
  ['cadvisor', 'container_cpu_usage_seconds_total', 'counter', ['namespace', 'pod', 'container', 'cpu', 'id', 'image']],
  ['cadvisor', 'container_memory_working_set_bytes', 'gauge', ['namespace', 'pod', 'container']],
  ['cadvisor', 'container_network_receive_bytes_total', 'counter', ['namespace', 'pod', 'interface']],
  ['kube-state-metrics', 'kube_pod_info', 'gauge', ['namespace', 'pod', 'uid', 'node', 'created_by_kind']],
  ['kube-state-metrics', 'kube_pod_container_resource_requests', 'gauge', ['resource', 'unit', 'node']],
  ['kube-state-metrics', 'kube_deployment_status_replicas_available', 'gauge', ['namespace', 'deployment']],
  ['kube-state-metrics', 'kube_statefulset_replicas', 'gauge', ['namespace', 'statefulset']],
  ['kube-state-metrics', 'kube_pod_container_status_restarts_total', 'counter', ['namespace', 'pod', 'container']],
  ['gateway', 'http_server_request_duration_seconds', 'histogram', ['http_route', 'http_response_status_code', 'model']],
  ['gateway', 'gateway_requests_total', 'counter', ['tenant', 'client_version', 'status']],
]; // biome-ignore format: a table

test.each(EXPECTED)('%s shows %s as %s', (job, series, type, labels) => {
  const page = pages.get(job);
  expect(page?.types.get(series)).toBe(type);
  const name = type === 'histogram' ? `${series}_bucket` : series;
  const samples = page?.samples.filter((sample) => sample.name === name) ?? [];
  expect(samples.length).toBeGreaterThan(0);
  for (const sample of samples) for (const label of labels) expect(Object.keys(sample.labels)).toContain(label);
});
