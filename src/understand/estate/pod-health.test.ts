import { describe, expect, test } from 'vitest';
import type { HealthStatus } from '../../model/index.ts';
import type { EstateEvent } from './event.ts';
import { type PodObject, podHealth } from './pod-health.ts';
import { ago, NOW, type PodParts, pod } from './testdata/objects.ts';

function check(parts: PodParts, status: HealthStatus, ...reasons: (string | RegExp)[]): void {
  const object = pod('p', parts);
  const health = podHealth(object as PodObject, NOW); // pod() makes pods
  expect(health.status, health.reasons.join('; ')).toBe(status);
  expect(health.reasons).toHaveLength(reasons.length);
  reasons.forEach((reason, i) => {
    if (typeof reason === 'string') expect(health.reasons[i]).toBe(reason);
    else expect(health.reasons[i]).toMatch(reason);
  });
}

const waiting = (reason: string, message = '', more: Record<string, unknown> = {}) => ({
  ready: false,
  container: { ready: false, state: { waiting: { reason, message } }, ...more },
});
const ended = (exitCode: number, reason: string, seconds = 60) => ({
  terminated: { exitCode, reason, finishedAt: ago(seconds) },
});

test('ready', () => check({}, 'ok'));
test('completed', () => check({ phase: 'Succeeded', ready: false }, 'idle', 'completed'));

describe('containers that wait', () => {
  const rows: [string, string, HealthStatus, RegExp][] = [
    ['ErrImagePull', 'manifest unknown', 'failing', /cannot pull its image \(ErrImagePull\): manifest unknown/],
    ['ImagePullBackOff', 'Back-off pulling image "x"', 'failing', /cannot pull its image \(ImagePullBackOff\)/],
    ['ErrImageNeverPull', '', 'failing', /not on the node/],
    ['InvalidImageName', '', 'failing', /cannot be parsed/],
    ['ImageInspectError', '', 'failing', /runtime cannot read/],
    ['RegistryUnavailable', '', 'failing', /cannot reach its registry/],
    ['SignatureValidationFailed', '', 'failing', /signature is refused/],
    [
      'CreateContainerConfigError',
      'secret "hf-token" not found',
      'failing',
      /Secret or key that is missing .*: secret "hf-token" not found/,
    ],
    ['CreateContainerError', '', 'failing', /refused by the runtime/],
    ['RunContainerError', '', 'failing', /cannot start/],
    ['PostStartHookError', '', 'failing', /postStart hook/],
    ['SomethingNew', 'why', 'failing', /waits with SomethingNew: why/],
  ];
  test.each(rows)('%s', (reason, message, status, words) => {
    check(waiting(reason, message), status, words);
  });

  test('a crash loop tells the last exit', () => {
    check(
      waiting('CrashLoopBackOff', 'back-off 5m0s', { restartCount: 7, lastState: ended(137, 'OOMKilled', 120) }),
      'failing',
      'container main crash-loops: exit code 137 (OOMKilled: memory limit reached), 2 min ago; 7 restarts',
    );
    check(
      waiting('CrashLoopBackOff', '', { restartCount: 2, lastState: ended(139, 'Error') }),
      'failing',
      /exit code 139 \(segmentation fault\)/,
    );
    check(
      waiting('CrashLoopBackOff', '', { restartCount: 2, lastState: ended(0, 'Completed') }),
      'failing',
      /exit code 0 \(finished, although it should keep running\)/,
    );
  });

  test('creating takes a while before it is a fault', () => {
    const since = (seconds: number) => ({
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(seconds) }],
    });
    check(
      { phase: 'Pending', ...waiting('ContainerCreating'), ...since(90) },
      'degraded',
      'container main is being created for 2 min',
    );
    check(
      { phase: 'Pending', ...waiting('ContainerCreating'), ...since(1200) },
      'failing',
      'container main is being created for 20 min',
    );
  });
});

describe('scheduling', () => {
  const unscheduled = (reason: string, message: string, seconds: number) => ({
    node: '',
    phase: 'Pending',
    ready: false,
    conditions: [{ type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime: ago(seconds) }],
    podStatus: { containerStatuses: [] },
  });
  test("the scheduler's own words", () => {
    check(
      unscheduled('Unschedulable', '0/4 nodes are available: 4 Insufficient nvidia.com/gpu.', 600),
      'failing',
      'no node fits for 10 min: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.',
    );
    check(unscheduled('Unschedulable', 'x', 10), 'degraded', 'no node fits for 10 s: x');
  });
  test('a gate', () =>
    check(
      {
        ...unscheduled('SchedulingGated', '', 600),
        spec: { containers: [], schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] },
      },
      'degraded',
      'waits for the scheduling gate kueue.x-k8s.io/admission for 10 min',
    ));
});

describe('pods that failed', () => {
  test('evicted', () =>
    check(
      {
        phase: 'Failed',
        ready: false,
        podStatus: { reason: 'Evicted', message: 'The node was low on resource: memory.', containerStatuses: [] },
      },
      'failing',
      'evicted by the kubelet: The node was low on resource: memory.',
    ));
  test('refused by the kubelet', () =>
    check(
      {
        phase: 'Failed',
        ready: false,
        podStatus: { reason: 'UnexpectedAdmissionError', message: 'no healthy devices present' },
      },
      'failing',
      'failed with UnexpectedAdmissionError: no healthy devices present',
    ));
  test('deadline', () =>
    check(
      { phase: 'Failed', ready: false, podStatus: { reason: 'DeadlineExceeded' } },
      'failing',
      /activeDeadlineSeconds/,
    ));
  test('exit code', () =>
    check(
      { phase: 'Failed', ready: false, container: { state: ended(2, 'Error') } },
      'failing',
      'container main ended with exit code 2 (bad arguments)',
    ));
});

describe('running', () => {
  test('a restart is news for a quarter of an hour', () => {
    check(
      { container: { restartCount: 1, lastState: ended(137, 'OOMKilled', 240) } },
      'degraded',
      'container main restarted 4 min ago after exit code 137 (OOMKilled: memory limit reached)',
    );
    check(
      { container: { restartCount: 3, lastState: ended(143, 'Error', 240) } },
      'degraded',
      /exit code 143 \(terminated on request\), restart 3/,
    );
    check({ container: { restartCount: 1, lastState: ended(137, 'OOMKilled', 3600) } }, 'ok');
  });
  test('not ready: degraded at first, then failing, with the words of the probe', () => {
    check({ ready: false, readySince: ago(20) }, 'degraded', 'container main is not ready for 20 s');
    check({ ready: false, readySince: ago(600) }, 'failing', 'container main is not ready for 10 min');
    const event: EstateEvent = {
      atMs: NOW - 5000,
      entity: 'pod:eu/inference/p',
      container: 'main',
      type: 'Warning',
      reason: 'Unhealthy',
      message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
      count: 4,
      source: 'kubelet',
    };
    const health = podHealth(pod('p', { ready: false, readySince: ago(600) }) as PodObject, NOW, [event]); // pod() makes pods
    expect(health.reasons).toEqual([
      'container main is not ready for 10 min: Readiness probe failed: HTTP probe failed with statuscode: 503',
    ]);
  });
  test('a model that still loads is starting, not failing', () =>
    check(
      {
        ready: false,
        readySince: ago(600),
        container: { started: false, state: { running: { startedAt: ago(590) } } },
      },
      'degraded',
      'container main is starting for 10 min: its startup probe has not passed',
    ));
  test('a readiness gate', () =>
    check(
      {
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Initialized', status: 'True' },
          { type: 'Ready', status: 'False' },
          { type: 'target-health.elbv2.k8s.aws/x', status: 'False' },
        ],
      },
      'degraded',
      'waits for the readiness gate target-health.elbv2.k8s.aws/x',
    ));
  test('a node that is gone', () =>
    check(
      {
        conditions: [
          { type: 'Initialized', status: 'True' },
          { type: 'Ready', status: 'Unknown', message: 'Kubelet stopped posting node status.' },
        ],
      },
      'unknown',
      'its node stopped reporting: Kubelet stopped posting node status.',
    ));
});

describe('terminating', () => {
  const deleted = (seconds: number, finalizers: string[] = []) => ({
    metadata: { deletionTimestamp: ago(seconds), finalizers },
  });
  test('within its grace period it only ends', () => check(deleted(-20), 'idle', 'terminating'));
  test('held long after', () =>
    check(
      deleted(900, ['example.com/hold']),
      'degraded',
      'should have ended 15 min ago but is still terminating; held by example.com/hold',
    ));
});

describe('init containers and sidecars', () => {
  const withInit = (init: Record<string, unknown>, status: Record<string, unknown>): PodParts => ({
    phase: 'Pending',
    ...waiting('PodInitializing'),
    spec: { nodeName: 'n', containers: [{ name: 'main' }], initContainers: [{ name: 'fetch', ...init }] },
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Initialized', status: 'False' },
    ],
    podStatus: { initContainerStatuses: [{ name: 'fetch', restartCount: 0, ready: false, ...status }] },
  });
  test('a download under way', () =>
    check(
      withInit({}, { state: { running: { startedAt: ago(300) } } }),
      'degraded',
      'init container fetch runs for 5 min',
    ));
  test('a download that fails', () =>
    check(
      withInit(
        {},
        { state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 4, lastState: ended(1, 'Error', 30) },
      ),
      'failing',
      'init container fetch crash-loops: exit code 1 (application error), 30 s ago; 4 restarts',
    ));
  test('a native sidecar that crashes is told of a pod that runs', () =>
    check(
      {
        spec: {
          nodeName: 'n',
          containers: [{ name: 'main' }],
          initContainers: [{ name: 'proxy', restartPolicy: 'Always' }],
        },
        podStatus: {
          initContainerStatuses: [
            {
              name: 'proxy',
              restartCount: 9,
              ready: false,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: ended(1, 'Error', 30),
            },
          ],
        },
      },
      'failing',
      /container proxy crash-loops/,
    ));
});

test('null times and missing parts are no surprise', () => {
  check(
    {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: null, lastProbeTime: null }],
      metadata: { creationTimestamp: null },
    },
    'ok',
  );
});
