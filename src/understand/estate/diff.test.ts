import { describe, expect, test } from 'vitest';
import type { Change, ObjectVersion } from '../../model/index.ts';
import { diffObjects, groupChanges } from './index.ts';
import { ago, NOW, type ObjectParts, podParts, version } from './testdata/objects.ts';

const told = (changes: readonly Change[]) => changes.map(({ kind, summary }) => `${kind}: ${summary}`);

function check(before: ObjectVersion | undefined, after: ObjectVersion, ...expected: string[]): void {
  expect(told(diffObjects(before, after))).toEqual(expected);
}

function template(
  container: Record<string, unknown> = {},
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): ObjectParts {
  return {
    spec: {
      replicas: 3,
      template: { metadata, spec: { containers: [{ name: 'vllm', image: 'vllm/vllm-openai:v0.10', ...container }] } },
      ...spec,
    },
  };
}

const deployment = (parts: ObjectParts) => version('Deployment', 'llama', parts);
const base = deployment(template());

describe('controllers', () => {
  test('nothing, and status alone', () => {
    check(base, base);
    check(base, deployment({ ...template(), status: { readyReplicas: 2 } }));
  });
  test('image', () => {
    check(
      base,
      deployment(template({ image: 'vllm/vllm-openai:v0.11' })),
      'image: image of vllm: vllm-openai:v0.10 → vllm-openai:v0.11',
    );
    const [change] = diffObjects(base, deployment(template({ image: 'x@sha256:0123456789abcdef' })));
    expect(change).toMatchObject({
      entity: 'workload:eu/inference/llama',
      before: 'vllm/vllm-openai:v0.10',
      after: 'x@sha256:0123456789abcdef',
      atMs: NOW - 86_400_000,
    });
  });
  test('scale', () => check(base, deployment(template({}, { replicas: 5 })), 'scale: replicas 3 → 5'));
  test('limits and requests, equal amounts in other words left out', () => {
    const before = deployment(template({ resources: { limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '1' } } }));
    check(
      before,
      deployment(template({ resources: { limits: { memory: '1024Mi', cpu: '500m' }, requests: { cpu: '1000m' } } })),
      'limits: cpu limit of vllm: 1 → 500m',
    );
    check(
      before,
      deployment(template({ resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } })),
      'limits: memory limit of vllm: 1Gi → none',
    );
  });
  test('probes', () => {
    const probe = (timeoutSeconds: number) =>
      template({ readinessProbe: { httpGet: { path: '/health', port: 8000 }, timeoutSeconds } });
    check(deployment(probe(5)), deployment(probe(1)), 'probe: readinessProbe of vllm: timeoutSeconds 5 → 1');
    check(
      base,
      deployment(probe(1)),
      'probe: readinessProbe of vllm: httpGet none → {"path":"/health","port":8000}, timeoutSeconds none → 1',
    );
  });
  test('arguments and environment', () => {
    check(
      deployment(template({ args: ['--max-num-seqs=256', '--port=8000'] })),
      deployment(template({ args: ['--max-num-seqs=8', '--port=8000'] })),
      'configuration: arguments of vllm: --max-num-seqs=256 → --max-num-seqs=8',
    );
    check(
      deployment(
        template({
          env: [
            { name: 'A', value: '1' },
            { name: 'T', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
        }),
      ),
      deployment(template({ env: [{ name: 'A', value: '2' }] })),
      'configuration: environment of vllm: A 1 → 2',
      'configuration: environment of vllm: T from {"secretKeyRef":{"name":"s","key":"k"}} → none',
    );
  });
  test('what no rule speaks for is told by its path', () => {
    check(
      base,
      deployment({
        spec: {
          replicas: 3,
          template: {
            metadata: {},
            spec: { nodeSelector: { pool: 'a' }, containers: [{ name: 'vllm', image: 'vllm/vllm-openai:v0.10' }] },
          },
        },
      }),
      'template: pod template changed: spec.nodeSelector',
    );
    check(
      base,
      deployment(template({}, { progressDeadlineSeconds: 60 })),
      'configuration: progressDeadlineSeconds: none → 60',
    );
  });
  test('a restart that somebody asked for', () =>
    check(
      base,
      deployment(template({}, {}, { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-12-01T11:00:00Z' } })),
      'rollout: a restart of all pods was asked for',
    ));
  test('containers come and go', () => {
    const two = deployment({
      spec: {
        replicas: 3,
        template: {
          spec: {
            containers: [
              { name: 'vllm', image: 'vllm/vllm-openai:v0.10' },
              { name: 'proxy', image: 'p' },
            ],
          },
        },
      },
    });
    check(base, two, 'template: container proxy was added');
    check(two, base, 'template: container proxy was removed');
  });
  test('labels', () =>
    check(
      version('Deployment', 'llama', { labels: { team: 'a', x: '1' } }),
      version('Deployment', 'llama', { labels: { team: 'b' } }),
      'labels: label team: a → b',
      'labels: label x: 1 → none',
    ));
  test('actor', () => {
    const by = (body: Record<string, unknown>, metadata = {}) =>
      diffObjects(base, deployment({ ...template({}, { replicas: 1 }), body, metadata }))[0]?.actor;
    expect(by({ trifocal: { changedBy: 'kubectl-edit' } })).toBe('kubectl-edit');
    expect(by({}, { annotations: { 'kubernetes.io/change-cause': 'release 41' } })).toBe('release 41');
    expect(by({})).toBeUndefined();
  });
});

describe('nodes', () => {
  const node = (
    spec: Record<string, unknown>,
    allocatable: Record<string, string> = { 'nvidia.com/gpu': '4', cpu: '96' },
  ) =>
    version('Node', 'gpu-1', {
      spec,
      status: { allocatable, conditions: [{ type: 'Ready', status: String(Math.random()) }] },
    });
  test('cordon and uncordon, without the taint that comes with them', () => {
    const cordoned = node({
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    });
    check(node({}), cordoned, 'cordon: cordoned: no new pods are scheduled here');
    check(cordoned, node({}), 'uncordon: uncordoned: pods are scheduled here again');
  });
  test('taints', () =>
    check(
      node({ taints: [{ key: 'a', value: '1', effect: 'NoSchedule' }] }),
      node({ taints: [{ key: 'b', effect: 'NoExecute' }] }),
      'taint: taint b:NoExecute was added',
      'taint: taint a=1:NoSchedule was removed',
    ));
  test('allocatable', () =>
    check(
      node({}),
      node({}, { 'nvidia.com/gpu': '3', cpu: '96000m' }),
      'allocatable: allocatable nvidia.com/gpu: 4 → 3',
    ));
});

test('selectors of services', () =>
  check(
    version('Service', 's', { spec: { selector: { app: 'a' } } }),
    version('Service', 's', { spec: { selector: { app: 'b', tier: 'x' } } }),
    'selector: selector: app=a → app=b,tier=x',
  ));

describe('beginnings and ends', () => {
  const born = version('Pod', 'p', {
    ...podParts(),
    metadata: { creationTimestamp: ago(60) },
    validFromMs: NOW - 60_000,
  });
  test('created when it was made, not when it was first seen', () => {
    check(undefined, born, 'created: Pod p was created');
    check(undefined, { ...born, validFromMs: NOW + 3_600_000 });
  });
  test('deleted, once', () => {
    const end = { ...born, deleted: true, validFromMs: NOW };
    check(born, end, 'deleted: Pod p was deleted');
    check(end, end);
  });
  test('made again under the same uid', () =>
    check({ ...born, deleted: true }, { ...born, validFromMs: NOW - 59_000 }, 'created: Pod p was created'));
});

test('bodies that cannot be read, and events, change nothing', () => {
  check({ ...base, body: 'not JSON' }, { ...base, body: '[]' });
  check(undefined, version('Event', 'e', { metadata: { creationTimestamp: ago(0) }, validFromMs: NOW }));
});

test('ids tell changes apart and are the same every time', () => {
  const after = deployment(template({ image: 'x' }, { replicas: 9 }));
  const ids = () => diffObjects(base, after).map((change) => change.id);
  expect(new Set(ids()).size).toBe(2);
  expect(ids()).toEqual(ids());
});

test('steps of one act share a group, newest first', () => {
  const change = (entity: string, atMs: number): Change => ({
    id: `${entity}${atMs}`,
    atMs,
    entity,
    kind: 'image',
    before: '',
    after: '',
    summary: '',
    group: `${entity}@${atMs}`,
  });
  const minute = 60_000;
  const changes = [
    change('pod:c/n/a-1', 2 * minute),
    change('workload:c/n/a', 0),
    change('pod:c/n/a-2', 4 * minute),
    change('workload:c/n/b', minute),
    change('workload:c/n/a', 30 * minute),
  ];
  const grouped = groupChanges(changes, (pod) => (pod.startsWith('pod:c/n/a') ? 'workload:c/n/a' : undefined));
  expect(grouped.map(({ atMs, group }) => [atMs / minute, group])).toEqual([
    [30, 'workload:c/n/a@1800000'],
    [4, 'workload:c/n/a@0'],
    [2, 'workload:c/n/a@0'],
    [1, 'workload:c/n/b@60000'],
    [0, 'workload:c/n/a@0'],
  ]);
});
