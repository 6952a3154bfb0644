import { expect, test } from 'vitest';
import { defaultEstate } from '../blueprint.ts';
import { createEstate, type Estate } from '../estate.ts';
import { renderPage } from '../pages/page.ts';
import { type ObjectStore, RESOURCES, type ResourceName } from './object-store.ts';
import type { AnyObject } from './object-types.ts';

const FOUNDED = Date.parse('2026-03-04T09:00:00Z');
const ROLLOUT = FOUNDED + 60_000;
const MINUTE = 60_000;
const PLAN = defaultEstate().slice(0, 1);
/** A few requests suffice to look at objects for hours. */
const QUIET = PLAN.map((plan) => ({
  ...plan,
  traffic: plan.traffic.map((traffic) => ({ ...traffic, requestsPerSecond: traffic.requestsPerSecond / 20 })),
}));

function storeOf(estate: Estate): ObjectStore {
  const store = estate.clusters[0]?.store;
  if (!store) throw new Error('no cluster');
  return store;
}

/** All objects, without what only says when they were written. */
function objectsOf(estate: Estate): object[] {
  const resources = Object.keys(RESOURCES) as ResourceName[]; // its keys
  return resources
    .flatMap((resource): AnyObject[] => storeOf(estate).list(resource))
    .map((object) => {
      const text = JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: '' } });
      return JSON.parse(text.replace(/"lastHeartbeatTime":"[^"]*"/g, '"lastHeartbeatTime":""'));
    });
}

const events = (estate: Estate) =>
  storeOf(estate)
    .list('events')
    .sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? -1 : 1));

const pods = (estate: Estate) =>
  storeOf(estate)
    .list('pods')
    .filter(({ metadata }) => metadata.labels?.app === 'rag-api');

test('a release replaces pod after pod and leaves the old set empty', () => {
  const estate = createEstate({ seed: 2, startMs: FOUNDED, rolloutsMs: [ROLLOUT], plan: QUIET });
  const before = pods(estate).map(({ metadata }) => metadata.name);
  const store = storeOf(estate);
  let fewest = Number.POSITIVE_INFINITY;
  for (; estate.now < ROLLOUT + 2 * MINUTE; estate.runTo(estate.now + 500)) {
    fewest = Math.min(fewest, Number(store.get('deployments', 'inference', 'rag-api')?.status.readyReplicas));
  }
  expect(fewest).toBe(2);
  const after = pods(estate);
  expect(after.map(({ metadata }) => metadata.name).filter((name) => before.includes(name))).toEqual([]);
  expect(after.map(({ metadata }) => metadata.creationTimestamp).sort()).toEqual([
    '2026-03-04T09:01:00Z',
    '2026-03-04T09:01:08Z',
  ]);
  expect(new Set(after.map(({ status }) => status.podIP)).size).toBe(2);
  for (const { spec, status } of after) {
    expect(spec.containers[0]?.image).toBe('ghcr.io/acme/rag-api:v42');
    expect(status.conditions.every(({ status: holds }) => holds === 'True')).toBe(true);
  }
  const sets = store.list('replicasets').filter(({ metadata }) => metadata.labels?.app === 'rag-api');
  expect(
    sets
      .map(({ metadata, spec, status }) => ({
        revision: metadata.annotations?.['deployment.kubernetes.io/revision'],
        desired: spec.replicas,
        ready: status.readyReplicas,
        image: spec.template.spec.containers[0]?.image,
      }))
      .sort((a, b) => Number(a.revision) - Number(b.revision)),
  ).toEqual([
    { revision: '1', desired: 0, ready: 0, image: 'ghcr.io/acme/rag-api:v41' },
    { revision: '2', desired: 2, ready: 2, image: 'ghcr.io/acme/rag-api:v42' },
  ]);
  expect(sets.map(({ metadata }) => metadata.creationTimestamp)).toContain('2026-03-04T09:01:00Z');
  const deployment = store.get('deployments', 'inference', 'rag-api');
  expect(deployment?.metadata).toMatchObject({ generation: 2 });
  expect(deployment?.status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    updatedReplicas: 2,
    observedGeneration: 2,
  });
});

test('its events tell the story, and are gone after their hour', () => {
  const estate = createEstate({ seed: 2, startMs: FOUNDED, rolloutsMs: [ROLLOUT], plan: QUIET });
  estate.runTo(ROLLOUT + 2 * MINUTE);
  const told = new Map<string, number>();
  for (const { reason, type, involvedObject } of events(estate)) {
    expect(type).toBe('Normal');
    const key = `${involvedObject.kind} ${reason}`;
    told.set(key, (told.get(key) ?? 0) + 1);
  }
  expect(Object.fromEntries(told)).toEqual({
    'Deployment ScalingReplicaSet': 4,
    'ReplicaSet SuccessfulCreate': 2,
    'ReplicaSet SuccessfulDelete': 2,
    'Pod Scheduled': 2,
    'Pod Pulled': 2,
    'Pod Created': 2,
    'Pod Started': 2,
    'Pod Killing': 2,
  });
  expect(events(estate)[0]?.message).toMatch(
    /^(Scaled up replica set rag-api-\w+ from 0 to 1|Created pod|Successfully)/,
  );
  estate.runTo(ROLLOUT + 63 * MINUTE);
  expect(events(estate)).toEqual([]);
});

test.each([10 * MINUTE, 90 * MINUTE])('who looks %i ms later finds what was left behind', (laterMs) => {
  const lived = createEstate({ seed: 2, startMs: FOUNDED, rolloutsMs: [ROLLOUT], plan: QUIET });
  lived.runTo(FOUNDED + laterMs);
  const later = createEstate({
    seed: 2,
    startMs: FOUNDED + laterMs,
    foundedMs: FOUNDED,
    rolloutsMs: [ROLLOUT],
    plan: QUIET,
  });
  expect(objectsOf(later)).toEqual(objectsOf(lived));
  expect(storeOf(later).resourceVersion).toBeGreaterThan(storeOf(lived).resourceVersion);
  // But other requests come.
  lived.signals.takeSpans();
  lived.runTo(lived.now + MINUTE);
  later.runTo(later.now + MINUTE);
  const traces = (estate: Estate) => new Set(estate.signals.takeSpans().map(({ traceId }) => traceId));
  const known = traces(lived);
  expect([...traces(later)].filter((id) => known.has(id))).toEqual([]);
});

test('requests go to the new pods, none fails for it, and machine counters do not go back', () => {
  const estate = createEstate({ seed: 2, startMs: FOUNDED, rolloutsMs: [ROLLOUT], plan: PLAN });
  const untouched = createEstate({ seed: 2, startMs: FOUNDED, plan: PLAN });
  const machines = estate.clusters[0]?.machines ?? [];
  let backwards = 0;
  while (estate.now < FOUNDED + 6 * MINUTE) {
    const before = machines.map(({ receivedBytes, sentBytes }) => [receivedBytes, sentBytes]);
    estate.runTo(estate.now + 1000);
    for (const [i, { receivedBytes, sentBytes }] of machines.entries()) {
      if (receivedBytes < (before[i]?.[0] ?? 0) || sentBytes < (before[i]?.[1] ?? 0)) backwards++;
    }
  }
  untouched.runTo(estate.now);
  expect(backwards).toBe(0);
  expect(estate.clusters[0]?.frontDoor.counts).toEqual(untouched.clusters[0]?.frontDoor.counts);
  const running = new Set(pods(estate).map(({ metadata }) => metadata.name));
  const targets = estate.targets.filter(({ job }) => job === 'rag-api');
  expect(new Set(targets.map(({ labels }) => labels.pod))).toEqual(running);
  for (const { page } of targets) {
    expect(renderPage(page)).toMatch(
      /http_server_request_duration_seconds_count\{.*http_route="\/v1\/rag\/query".*\} [1-9]/,
    );
  }
  const cadvisor = estate.targets
    .filter(({ job }) => job === 'cadvisor')
    .map(({ page }) => renderPage(page))
    .join('');
  const shown = new Set([...cadvisor.matchAll(/pod="(rag-api-[^"]+)"/g)].map(([, pod]) => pod));
  expect(shown).toEqual(running);
});
