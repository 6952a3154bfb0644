import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEstate } from './estate.ts';
import { type EstateServers, serveEstate } from './server.ts';

const estate = createEstate({ seed: 6, startMs: Date.parse('2026-03-04T09:00:00Z') });
estate.runTo(estate.now + 20_000);
let servers: EstateServers;
beforeAll(async () => {
  servers = await serveEstate(estate, () => {});
});
afterAll(() => servers.close());

function cluster() {
  const [first] = servers.connections;
  if (!first) throw new Error('no cluster');
  return first;
}

async function get(
  path: string,
  headers: Record<string, string> = { authorization: `Bearer ${cluster().kubernetes.token}` },
) {
  const response = await fetch(`${cluster().kubernetes.url}${path}`, { headers });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) };
}

test('without the right token nothing is told', async () => {
  expect((await get('/api/v1/pods', {})).status).toBe(401);
  expect((await get('/api/v1/pods', { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('a paged list gives every object once, all pages at one version', async () => {
  const whole = (await get('/api/v1/pods')).json();
  const names: string[] = [];
  const versions = new Set<string>();
  let next = '';
  do {
    const page = (await get(`/api/v1/pods?limit=5${next ? `&continue=${next}` : ''}`)).json();
    names.push(...page.items.map((pod: { metadata: { name: string } }) => pod.metadata.name));
    versions.add(page.metadata.resourceVersion);
    next = page.metadata.continue ?? '';
  } while (next);
  expect(names).toEqual(whole.items.map((pod: { metadata: { name: string } }) => pod.metadata.name));
  expect(new Set(names).size).toBe(23);
  expect(versions.size).toBe(1);
});

test('selectors and namespaces narrow a list', async () => {
  const count = async (path: string) => (await get(path)).json().items.length;
  expect(await count('/api/v1/namespaces/inference/pods')).toBe(11);
  expect(await count('/api/v1/pods?labelSelector=app%3Dllama-3-70b')).toBe(3);
  expect(await count('/api/v1/pods?labelSelector=app%20in%20(gateway,rag-api)')).toBe(4);
  expect(await count('/api/v1/pods?fieldSelector=spec.nodeName%3Dgpu-1')).toBe(5);
  expect(await count('/apis/apps/v1/statefulsets')).toBe(2);
  expect(await count('/apis/batch/v1/jobs')).toBe(0);
  expect((await get('/apis/apps/v1/pods')).status).toBe(404);
});

test('objects are linked as Kubernetes links them, down to the GPUs', async () => {
  const pod = (await get('/api/v1/namespaces/inference/pods/llama-3-70b-1')).json();
  const owner = (await get('/apis/apps/v1/namespaces/inference/statefulsets/llama-3-70b')).json();
  expect(pod.metadata.ownerReferences[0]).toMatchObject({
    kind: 'StatefulSet',
    uid: owner.metadata.uid,
    controller: true,
  });
  expect(pod.spec.containers[0].resources.limits['nvidia.com/gpu']).toBe('2');
  const node = (await get(`/api/v1/nodes/${pod.spec.nodeName}`)).json();
  expect(node.status.allocatable['nvidia.com/gpu']).toBe('4');
  expect(node.metadata.labels['nvidia.com/gpu.product']).toBe('NVIDIA-H100-80GB-HBM3');
  expect((await get('/api/v1/namespaces/inference/pods/nobody')).json()).toMatchObject({ kind: 'Status', code: 404 });
});

test('a watch from a listed version tells each later change, then a bookmark, and ends in time', async () => {
  const store = estate.clusters[0]?.store;
  const { resourceVersion } = (await get('/api/v1/nodes')).json().metadata;
  const watch = get(
    `/api/v1/nodes?watch=1&resourceVersion=${resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=1`,
  );
  const node = store?.get('nodes', '', 'gpu-2');
  if (!store || !node) throw new Error('no node');
  store.put({ ...node, spec: { ...node.spec, unschedulable: true } });
  const events = (await watch).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'BOOKMARK']);
  expect(events[0].object.spec.unschedulable).toBe(true);
  expect(Number(events[0].object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  expect(events[1].object.metadata.resourceVersion).toBe(String(store.resourceVersion));
  // The change reached kube-state-metrics too.
  const page = scrapeUrl('kube-state-metrics');
  expect(await (await fetch(page)).text()).toContain('kube_node_spec_unschedulable{node="gpu-2"} 1');
});

test('a version that is gone is answered with 410 inside the watch', async () => {
  const answer = await get('/api/v1/pods?watch=1&resourceVersion=1');
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
});

test('discovery names what can be listed', async () => {
  expect((await get('/version')).json().gitVersion).toMatch(/^v1\.\d+/);
  const core = (await get('/api/v1')).json().resources.map((r: { name: string }) => r.name);
  expect(core).toEqual(['nodes', 'namespaces', 'pods', 'services', 'events']);
  expect((await get('/apis')).json().groups[0].preferredVersion.groupVersion).toBe('apps/v1');
});

test('a fault is switched at run time and the truth is told', async () => {
  const order = (on: boolean) =>
    fetch(`${servers.controlUrl}/faults`, {
      method: 'POST',
      body: JSON.stringify({ fault: 'gpu-thermal-throttle', on, cluster: 'prod-us' }),
    });
  const state = await (await order(true)).json();
  expect(state.truth.verdict).toBe('cause-found');
  expect(state.truth.causes).toMatchObject([
    { mechanism: 'gpu-thermal-throttle', pod: 'pod:prod-us/inference/llama-3-70b-1', node: 'node:prod-us/-/gpu-1' },
  ]);
  expect(state.truth.causes[0].entity).toMatch(/^gpu:prod-us\/-\/GPU-/);
  expect((await (await order(false)).json()).truth).toEqual({ verdict: 'no-fault', causes: [] });
  const wrong = await fetch(`${servers.controlUrl}/faults`, { method: 'POST', body: '{"fault":"x","on":true}' });
  expect(wrong.status).toBe(400);
});

function scrapeUrl(job: string): string {
  const config = cluster().scrape_configs.find(({ job_name }) => job_name === job)?.static_configs[0];
  return `http://${config?.targets[0]}${config?.labels.__metrics_path__}`;
}

test('every scrape target of the configuration answers with its page', async () => {
  for (const { scrape_configs } of servers.connections) {
    for (const { static_configs } of scrape_configs) {
      for (const { targets, labels } of static_configs) {
        const response = await fetch(`http://${targets[0]}${labels.__metrics_path__}`);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toContain('version=0.0.4');
        expect((await response.text()).length).toBeGreaterThan(500);
      }
    }
  }
});
