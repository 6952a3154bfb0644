import { expect, test } from 'vitest';
import { diffObjects } from './diff.ts';
import { groupChanges, podWorkloads, rolloutChanges } from './index.ts';
import { ago, NOW, object, version } from './testdata/objects.ts';

const range = { from: NOW - 3_600_000, to: NOW };

function set(revision: number, seconds: number) {
  return version('ReplicaSet', `rag-api-${revision}`, {
    owner: { kind: 'Deployment', name: 'rag-api' },
    metadata: {
      creationTimestamp: ago(seconds),
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    spec: {
      template: {
        metadata: { labels: { app: 'rag-api', 'pod-template-hash': `h${revision}` } },
        spec: { containers: [{ name: 'api', image: `ghcr.io/acme/rag-api:v${40 + revision}` }] },
      },
    },
    validFromMs: NOW - seconds * 1000,
  });
}

test('a new set of a Deployment is a rollout at its creation, in the words of the templates', () => {
  expect(rolloutChanges([set(1, 86_400), set(2, 2400)], range, [])).toMatchObject([
    {
      kind: 'rollout',
      entity: 'workload:eu/inference/rag-api',
      atMs: NOW - 2_400_000,
      before: 'ghcr.io/acme/rag-api:v41',
      after: 'ghcr.io/acme/rag-api:v42',
      summary: 'revision 2 was rolled out: image of api: rag-api:v41 → rag-api:v42',
    },
  ]);
});

test('without the previous set what changed is not known', () => {
  const found = rolloutChanges([set(1, 86_400), set(3, 2400)], range, []);
  expect(found).toMatchObject([{ before: '', after: '', summary: 'revision 3 was rolled out' }]);
});

test.each([
  ['the first revision', [set(1, 2400)]],
  ['one made before the range', [set(1, 86_400), set(2, 7200)]],
  ['one that is gone', [set(1, 86_400), { ...set(2, 2400), deleted: true }]],
  ['one of no Deployment', [version('ReplicaSet', 'alone', { metadata: { creationTimestamp: ago(60) } })]],
])('no rollout: %s', (_, versions) => {
  expect(rolloutChanges(versions, range, [])).toEqual([]);
});

test('what the Deployment told itself is not told twice', () => {
  const [rollout] = rolloutChanges([set(2, 2400)], range, []);
  const told = rollout ? [{ ...rollout, kind: 'image' as const, atMs: rollout.atMs - 1000 }] : [];
  expect(told).toHaveLength(1);
  expect(rolloutChanges([set(2, 2400)], range, told)).toEqual([]);
});

test('a rollout and the pods that come with it are one act', () => {
  const pod = version('Pod', 'rag-api-2-x', {
    owner: { kind: 'ReplicaSet', name: 'rag-api-2' },
    labels: { 'pod-template-hash': '2' },
    metadata: { creationTimestamp: ago(2395) },
    spec: { containers: [] },
    validFromMs: NOW - 2_395_000,
  });
  const workloads = podWorkloads([
    object('ReplicaSet', 'rag-api-2', { owner: { kind: 'Deployment', name: 'rag-api' } }),
    object('Pod', 'rag-api-2-x', { owner: { kind: 'ReplicaSet', name: 'rag-api-2' }, spec: { containers: [] } }),
  ]);
  const changes = [...diffObjects(undefined, pod), ...rolloutChanges([set(1, 86_400), set(2, 2400)], range, [])];
  const grouped = groupChanges(changes, (ref) => workloads.get(ref));
  expect(grouped.map(({ kind }) => kind)).toEqual(['created', 'rollout']);
  expect(new Set(grouped.map(({ group }) => group)).size).toBe(1);
});
