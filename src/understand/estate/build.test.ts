import { describe, expect, test } from 'vitest';
import { createSnapshot, everything, type GpuFact, type HealthStatus, labelSetFrom } from '../../model/index.ts';
import { buildEstate, type EstateInput, type KubernetesObject } from './index.ts';
import { ago, deployment, input, NOW, node, object, pod } from './testdata/objects.ts';

function snapshot(objects: readonly KubernetesObject[], more: Partial<EstateInput> = {}) {
  const { entities, relations } = buildEstate(input(objects, more));
  return createSnapshot(NOW, entities, relations, everything);
}

describe('owner chains', () => {
  const rows: [string, KubernetesObject[], string, string, string][] = [
    [
      'ReplicaSet → Deployment',
      [
        deployment('api', 1),
        object('ReplicaSet', 'api-6d9f', { owner: { kind: 'Deployment', name: 'api' } }),
        pod('api-6d9f-x', { owner: { kind: 'ReplicaSet', name: 'api-6d9f' } }),
      ],
      'workload:eu/inference/api',
      'Deployment',
      'exact',
    ],
    [
      'a ReplicaSet that nobody watches: the template hash tells',
      [pod('api-6d9f-x', { owner: { kind: 'ReplicaSet', name: 'api-6d9f' }, labels: { 'pod-template-hash': '6d9f' } })],
      'workload:eu/inference/api',
      'Deployment',
      'inferred',
    ],
    [
      'StatefulSet',
      [pod('db-0', { owner: { kind: 'StatefulSet', name: 'db' } })],
      'workload:eu/inference/db',
      'StatefulSet',
      'exact',
    ],
    [
      'DaemonSet',
      [pod('dcgm-1', { owner: { kind: 'DaemonSet', name: 'dcgm' } })],
      'workload:eu/inference/dcgm',
      'DaemonSet',
      'exact',
    ],
    [
      'Job → CronJob',
      [
        object('CronJob', 'nightly'),
        object('Job', 'nightly-29', { owner: { kind: 'CronJob', name: 'nightly' } }),
        pod('nightly-29-x', { owner: { kind: 'Job', name: 'nightly-29' } }),
      ],
      'workload:eu/inference/nightly',
      'CronJob',
      'exact',
    ],
    ['bare pod', [pod('debug')], 'workload:eu/inference/debug', 'Pod', 'exact'],
    [
      'static pod',
      [pod('etcd-cp1', { owner: { kind: 'Node', name: 'cp1' } })],
      'workload:eu/inference/etcd',
      'StaticPod',
      'exact',
    ],
    [
      'custom owner',
      [pod('w-0', { owner: { kind: 'LeaderWorkerSet', name: 'w' } })],
      'workload:eu/inference/w',
      'LeaderWorkerSet',
      'exact',
    ],
  ];
  test.each(rows)('%s', (_, objects, ref, kind, confidence) => {
    const estate = snapshot(objects);
    const workload = estate.get(ref);
    expect(workload?.facts.workloadKind).toBe(kind);
    expect(estate.ofKind('workload').map((entity) => entity.ref)).toEqual([ref]);
    const [relation] = estate.relationsOf(ref).filter((r) => r.to.startsWith('pod:'));
    expect(relation?.confidence).toBe(confidence);
  });

  test('equal names: the Deployment has the plain reference, the other one says its kind', () => {
    const estate = snapshot([
      object('StatefulSet', 'x', { spec: { replicas: 0 } }),
      deployment('x', 0),
      pod('x-0', { owner: { kind: 'StatefulSet', name: 'x' } }),
    ]);
    expect(estate.get('workload:eu/inference/x')?.facts.workloadKind).toBe('Deployment');
    expect(estate.to('workload:eu/inference/statefulset%2Fx', 'contains', 'pod').map((p) => p.name)).toEqual(['x-0']);
  });

  test('a cycle of owners ends', () => {
    const estate = snapshot([
      object('ReplicaSet', 'a', { owner: { kind: 'ReplicaSet', name: 'b' } }),
      object('ReplicaSet', 'b', { owner: { kind: 'ReplicaSet', name: 'a' } }),
      pod('p', { owner: { kind: 'ReplicaSet', name: 'a' } }),
    ]);
    expect(estate.ofKind('workload').length).toBeGreaterThan(0);
  });

  test('equal names in two clusters never mix', () => {
    const estate = snapshot([
      pod('db-0', { owner: { kind: 'StatefulSet', name: 'db' } }),
      pod('db-0', { cluster: 'us', owner: { kind: 'StatefulSet', name: 'db' } }),
    ]);
    expect(estate.to('workload:us/inference/db', 'contains', 'pod').map((p) => p.ref)).toEqual([
      'pod:us/inference/db-0',
    ]);
  });

  test('a name that was given again belongs to the newer pod', () => {
    const estate = snapshot([
      pod('db-0', { uid: 'old', phase: 'Failed', metadata: { creationTimestamp: ago(9000) } }),
      pod('db-0', { uid: 'new', metadata: { creationTimestamp: ago(60) } }),
    ]);
    expect(estate.ofKind('pod').map((p) => p.uid)).toEqual(['new']);
  });
});

describe('workload health', () => {
  const owned = (name: string, parts = {}) => pod(name, { owner: { kind: 'Deployment', name: 'api' }, ...parts });
  const rows: [string, KubernetesObject[], HealthStatus, string[]][] = [
    ['all ready', [deployment('api', 1), owned('a')], 'ok', []],
    ['scaled to zero', [deployment('api', 0, { readyReplicas: 0 })], 'idle', ['scaled to zero']],
    ['some ready', [deployment('api', 3, { readyReplicas: 2 })], 'degraded', ['2 of 3 replicas are ready']],
    ['none ready', [deployment('api', 3, { readyReplicas: 0 })], 'failing', ['none of 3 replicas is ready']],
    ['its only one', [deployment('api', 1, { readyReplicas: 0 })], 'failing', ['its only replica is not ready']],
    [
      'a stuck rollout while old pods serve',
      [
        deployment('api', 2, {
          updatedReplicas: 1,
          conditions: [
            {
              type: 'Progressing',
              status: 'False',
              reason: 'ProgressDeadlineExceeded',
              message: 'ReplicaSet "api-2" has timed out progressing.',
            },
          ],
        }),
        owned('old'),
        owned('new', { ready: false, container: { ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } } }),
      ],
      'degraded',
      [
        'the rollout is stuck: ReplicaSet "api-2" has timed out progressing.',
        'new: container main cannot pull its image (ImagePullBackOff)',
        'rollout under way: 1 of 2 replicas are updated',
      ],
    ],
    [
      'pods that cannot be created',
      [
        deployment('api', 2, {
          readyReplicas: 1,
          conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }],
        }),
      ],
      'degraded',
      ['1 of 2 replicas are ready', 'pods cannot be created: exceeded quota'],
    ],
    [
      'a change not yet acted on',
      [deployment('api', 1, { observedGeneration: 2 })],
      'ok',
      ['the controller has not acted on the latest change yet'],
    ],
    [
      'evicted leftovers do not count',
      [
        deployment('api', 1),
        owned('a'),
        owned('left', { phase: 'Failed', ready: false, podStatus: { reason: 'Evicted' } }),
      ],
      'ok',
      [],
    ],
    [
      'equal words are said once',
      [
        deployment('api', 2, { readyReplicas: 0 }),
        ...['a', 'b'].map((name) =>
          owned(name, { ready: false, container: { ready: false, state: { waiting: { reason: 'ErrImagePull' } } } }),
        ),
      ],
      'failing',
      ['none of 2 replicas is ready', 'a, b: container main cannot pull its image (ErrImagePull)'],
    ],
    [
      'a bare pod',
      [pod('api', { ready: false, readySince: ago(600) })],
      'failing',
      ['container main is not ready for 10 min'],
    ],
    ['a suspended CronJob', [object('CronJob', 'api', { spec: { suspend: true } })], 'idle', ['suspended']],
    [
      'a failed Job',
      [
        object('Job', 'api', {
          status: {
            failed: 4,
            conditions: [
              {
                type: 'Failed',
                status: 'True',
                reason: 'BackoffLimitExceeded',
                message: 'Job has reached the specified backoff limit',
              },
            ],
          },
        }),
      ],
      'failing',
      ['failed with BackoffLimitExceeded: Job has reached the specified backoff limit'],
    ],
    [
      'a finished Job',
      [object('Job', 'api', { status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] } })],
      'idle',
      ['completed'],
    ],
    [
      'a DaemonSet with no node',
      [object('DaemonSet', 'api', { status: { desiredNumberScheduled: 0 } })],
      'idle',
      ['no node is selected'],
    ],
    [
      'a DaemonSet',
      [
        object('DaemonSet', 'api', {
          status: { desiredNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 4 },
        }),
      ],
      'degraded',
      ['3 of 4 replicas are ready'],
    ],
    [
      'a StatefulSet that rolls',
      [
        object('StatefulSet', 'api', {
          spec: { replicas: 3 },
          status: { readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
        }),
      ],
      'ok',
      ['rollout under way: 1 of 3 replicas are updated'],
    ],
  ];
  test.each(rows)('%s', (_, objects, status, reasons) => {
    const workload = snapshot(objects).get('workload:eu/inference/api');
    expect(workload?.health).toEqual({ status, reasons });
  });
});

describe('node health', () => {
  const rows: [string, KubernetesObject, HealthStatus, (string | RegExp)[]][] = [
    ['ready', node('gpu-1'), 'ok', []],
    [
      'not ready',
      node('gpu-1', {
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'KubeletNotReady',
              message: 'PLEG is not healthy',
              lastTransitionTime: ago(300),
            },
          ],
        },
      }),
      'failing',
      ['not ready for 5 min: PLEG is not healthy'],
    ],
    [
      'silent',
      node('gpu-1', {
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'Unknown',
              message: 'Kubelet stopped posting node status.',
              lastTransitionTime: ago(300),
            },
          ],
        },
      }),
      'failing',
      ['its kubelet stopped reporting for 5 min: Kubelet stopped posting node status.'],
    ],
    [
      'memory pressure',
      node('gpu-1', { conditions: [{ type: 'MemoryPressure', status: 'True' }] }),
      'degraded',
      ['short of memory, pods may be evicted'],
    ],
    [
      'disk pressure',
      node('gpu-1', { conditions: [{ type: 'DiskPressure', status: 'True' }] }),
      'degraded',
      ['short of disk space, pods may be evicted'],
    ],
    [
      'network',
      node('gpu-1', { conditions: [{ type: 'NetworkUnavailable', status: 'True' }] }),
      'failing',
      ['its network is not set up'],
    ],
    [
      'a problem daemon',
      node('gpu-1', { conditions: [{ type: 'KernelDeadlock', status: 'True', message: 'task blocked' }] }),
      'degraded',
      ['KernelDeadlock: task blocked'],
    ],
    ['a good custom condition', node('gpu-1', { conditions: [{ type: 'EtcdIsVoter', status: 'True' }] }), 'ok', []],
    [
      'cordoned',
      node('gpu-1', {
        spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
      }),
      'degraded',
      ['cordoned: new pods are not scheduled here'],
    ],
    [
      'leaving',
      node('gpu-1', {
        spec: { unschedulable: true, taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
      }),
      'degraded',
      [/about to be removed/],
    ],
    ['GPU taint', node('gpu-1', { spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] } }), 'ok', []],
    [
      'a lost GPU',
      node('gpu-1', { status: { capacity: { 'nvidia.com/gpu': '4' }, allocatable: { 'nvidia.com/gpu': '3' } } }),
      'degraded',
      [/1 GPU of 4 not allocatable/],
    ],
  ];
  test.each(rows)('%s', (_, object, status, reasons) => {
    const health = snapshot([object]).get('node:eu/-/gpu-1')?.health;
    expect(health?.status).toBe(status);
    expect(health?.reasons).toEqual(
      reasons.map((reason) => (typeof reason === 'string' ? reason : expect.stringMatching(reason))),
    );
  });

  test('capacity is exact', () => {
    expect(snapshot([node('gpu-1')]).get('node:eu/-/gpu-1')?.facts).toMatchObject({
      cpuCores: 96, memoryBytes: 2 ** 40, cpuAllocatable: 95.5, memoryAllocatable: 1000 * 2 ** 30, gpus: 4, internalIP: '10.0.0.1',
    }); // biome-ignore format: one row
  });
});

test('what fails rolls up in words: pod, workload, node, namespace, cluster', () => {
  const estate = snapshot([
    node('gpu-1'),
    object('Namespace', 'inference'),
    deployment('llama', 1, { readyReplicas: 0 }),
    pod('llama-0', {
      owner: { kind: 'Deployment', name: 'llama' },
      ready: false,
      container: { ready: false, state: { waiting: { reason: 'ErrImagePull' } } },
    }),
    deployment('api', 1),
    pod('api-0', { owner: { kind: 'Deployment', name: 'api' } }),
  ]);
  expect(estate.get('node:eu/-/gpu-1')?.health).toEqual({
    status: 'ok',
    reasons: ['1 of 2 pods here is failing: llama-0'],
  });
  expect(estate.get('namespace:eu/-/inference')?.health).toEqual({
    status: 'degraded',
    reasons: ['1 of 2 workloads failing: llama (its only replica is not ready)'],
  });
  expect(estate.get('cluster:eu/-/eu')?.health.status).toBe('degraded');
  expect(estate.get('container:eu/inference/llama-0%2Fmain')?.health.status).toBe('failing');
  expect(estate.from('container:eu/inference/llama-0%2Fmain', 'contains').map((entity) => entity.ref)).toEqual([
    'pod:eu/inference/llama-0',
  ]);
});

test('a cluster that is configured but unseen, an object that cannot be read, a source that failed: all are told', () => {
  const estate = snapshot(
    [object('Pod', 'odd', { spec: { containers: 'none' as unknown as object[] } as Record<string, unknown> })],
    { clusters: ['dark'], problems: ['GPUs could not be read: timeout'] },
  );
  expect(estate.get('cluster:dark/-/dark')?.health).toEqual({
    status: 'unknown',
    reasons: ['nothing has been seen of it yet'],
  });
  const seen = snapshot([object('Pod', 'odd', { spec: { containers: 'none' } }), node('gpu-1')], {
    problems: ['GPUs could not be read: timeout'],
  });
  expect(seen.get('cluster:eu/-/eu')?.health.reasons).toEqual([
    '1 object could not be read: Pod odd',
    'GPUs could not be read: timeout',
  ]);
});

describe('GPUs', () => {
  const gpu = (labels: Record<string, string>, value = 60, fact: GpuFact = 'present') => ({
    cluster: 'eu',
    fact,
    labels: labelSetFrom({ UUID: 'GPU-a', gpu: '0', modelName: 'NVIDIA H100 80GB HBM3', Hostname: 'gpu-1', ...labels }),
    value,
  });
  const llama = pod('llama-0', { gpus: 1, owner: { kind: 'StatefulSet', name: 'llama' } });
  const other = pod('other', { gpus: 1 });
  const exporter = pod('dcgm-exporter-x', {
    owner: { kind: 'DaemonSet', name: 'dcgm-exporter' },
    namespace: 'monitoring',
  });
  const uses = (objects: KubernetesObject[], gpus: EstateInput['gpus']) =>
    snapshot([node('gpu-1'), node('gpu-2'), ...objects], { gpus })
      .relations.filter((relation) => relation.kind === 'uses')
      .map(({ from, confidence, share }) => [from, confidence, ...(share === undefined ? [] : [share])]);

  const exported = {
    exported_pod: 'llama-0',
    exported_namespace: 'inference',
    exported_container: 'main',
    pod: 'dcgm-exporter-x',
    namespace: 'monitoring',
  };
  const plain = { pod: 'llama-0', namespace: 'inference', container: 'main' };
  const rows: [string, KubernetesObject[], EstateInput['gpus'], unknown[]][] = [
    ['exported labels are the workload', [llama, exporter], [gpu(exported)], [['pod:eu/inference/llama-0', 'exact']]],
    ['plain labels are the workload', [llama], [gpu(plain)], [['pod:eu/inference/llama-0', 'exact']]],
    [
      'plain labels of the exporter itself mean unallocated',
      [exporter],
      [gpu({ pod: 'dcgm-exporter-x', namespace: 'monitoring' })],
      [],
    ],
    [
      'several pods on one card share it',
      [llama, other],
      [gpu({ ...plain, vgpu: '0' }), gpu({ pod: 'other', namespace: 'inference', vgpu: '1' })],
      [
        ['pod:eu/inference/llama-0', 'shared', 2],
        ['pod:eu/inference/other', 'shared', 2],
      ],
    ],
    [
      'instances of a MIG card do not share',
      [llama, other],
      [
        gpu({ ...plain, GPU_I_ID: '1', GPU_I_PROFILE: '3g.40gb' }),
        gpu({ pod: 'other', namespace: 'inference', GPU_I_ID: '2', GPU_I_PROFILE: '3g.40gb' }),
      ],
      [
        ['pod:eu/inference/llama-0', 'exact'],
        ['pod:eu/inference/other', 'exact'],
      ],
    ],
    [
      'no labels, and one pod that asked for as many: inferred',
      [llama],
      [gpu({})],
      [['pod:eu/inference/llama-0', 'inferred']],
    ],
    ['no labels, two pods that asked: unknown', [llama, other], [gpu({}), gpu({ UUID: 'GPU-b', gpu: '1' })], []],
    ['no labels, a pod that asked for more: unknown', [pod('big', { gpus: 2 })], [gpu({})], []],
  ];
  test.each(rows)('%s', (_, objects, gpus, expected) => {
    expect(uses(objects, gpus)).toEqual(expected);
  });

  test('the node by name, full name, or address; facts; what cannot be read', () => {
    for (const labels of [
      { Hostname: 'gpu-1.example.com' },
      { Hostname: '', node: 'gpu-1' },
      { Hostname: '', instance: '10.0.0.1:9400' },
    ]) {
      const estate = snapshot([node('gpu-1'), llama], { gpus: [gpu({ ...plain, ...labels })] });
      expect(estate.to('node:eu/-/gpu-1', 'contains', 'gpu').map((entity) => entity.name)).toEqual(['GPU-a']);
    }
    const facts = snapshot([node('gpu-1'), llama], {
      gpus: [
        gpu(plain),
        gpu(plain, 60_000, 'memory-used'),
        gpu(plain, 21_000, 'memory-free'),
        gpu(plain, 559, 'memory-reserved'),
        gpu(plain, 2147483632, 'xid'),
      ],
    }).get('gpu:eu/-/GPU-a')?.facts;
    expect(facts).toMatchObject({
      node: 'gpu-1',
      model: 'NVIDIA H100 80GB HBM3',
      memoryBytes: 81559 * 2 ** 20,
      allocations: ['container:eu/inference/llama-0%2Fmain'],
      unreadable: ['gpu.xid'],
    });
    expect(facts).not.toHaveProperty('xid');
  });

  const healths: [string, number, GpuFact, HealthStatus, string[]][] = [
    ['idle clocks', 0x1, 'clock-events', 'ok', []],
    ['power cap at full load', 0x4, 'clock-events', 'ok', []],
    ['too hot', 0x20, 'clock-events', 'degraded', ['clocks are lowered by the driver because it is too hot']],
    ['hardware thermal', 0x48, 'clock-events', 'degraded', ['clocks are cut by its hardware thermal protection']],
    ['out of rows', 1, 'remap-failure', 'failing', ['out of spare memory rows: replace it']],
    ['unreadable', Number.NaN, 'present', 'unknown', ['its exporter cannot read it']],
  ];
  test.each(healths)('%s', (_, value, fact, status, reasons) => {
    expect(snapshot([node('gpu-1')], { gpus: [gpu({}, value, fact)] }).get('gpu:eu/-/GPU-a')?.health).toEqual({
      status,
      reasons,
    });
  });
});

describe('model services', () => {
  const served = (objects: KubernetesObject[], models: EstateInput['models'] = []) => {
    const { engine, model, engineVersion } = snapshot(objects, { models }).get('workload:eu/inference/p')?.facts ?? {};
    return [engine, model, engineVersion];
  };
  test('by series', () => {
    const series = { cluster: 'eu', namespace: 'inference', pod: 'p', engine: 'vllm' };
    expect(
      served(
        [pod('p')],
        [
          { ...series, model: 'b' },
          { ...series, model: 'a' },
          { ...series, model: 'a' },
        ],
      ),
    ).toEqual(['vllm', ['a', 'b'], undefined]);
  });
  test('by image and arguments', () => {
    const args = (...words: string[]) =>
      served([pod('p', { image: 'vllm/vllm-openai:v0.11.0', containerSpec: { args: words } })]);
    expect(args('--model', '/models/llama', '--served-model-name', 'llama', 'alias', '--port=1')).toEqual([
      'vllm',
      ['llama', 'alias'],
      '0.11.0',
    ]);
    expect(args('--model=meta/llama')).toEqual(['vllm', ['meta/llama'], '0.11.0']);
  });
  test('others serve none', () =>
    expect(served([pod('p', { image: 'postgres:17' })])).toEqual([undefined, undefined, undefined]));
});

describe('services', () => {
  const service = (name: string, selector: Record<string, string>) =>
    object('Service', name, { spec: { selector, ports: [{ port: 80, name: 'http' }] } });
  test('a Kubernetes Service selects pods, and fails when none is ready', () => {
    const estate = snapshot([
      service('web', { app: 'web' }),
      service('none', { app: 'x' }),
      pod('a', { labels: { app: 'web' }, ready: false }),
      pod('b', { labels: { app: 'other' } }),
    ]);
    expect(estate.to('service:eu/inference/web', 'selects').map((p) => p.name)).toEqual(['a']);
    expect(estate.get('service:eu/inference/web')?.health).toEqual({
      status: 'failing',
      reasons: ['none of the 1 pod it selects is ready'],
    });
    expect(estate.get('service:eu/inference/none')?.health.reasons).toEqual(['its selector matches no pod']);
  });

  const activity = (service: string, more: Partial<EstateInput['services'][number]> = {}) => ({
    cluster: 'eu', service, namespace: 'inference', workload: '', pod: '', requestsPerSecond: 2, errorRatio: 0, meanDuration: 0.1, ...more,
  }); // biome-ignore format: one row
  const rates = { requestsPerSecond: 1, errorRatio: 0, meanDuration: 1 };
  test('a traced service is served by the workload of its pods, calls others and dependencies', () => {
    const estate = snapshot([deployment('rag', 1), pod('rag-0', { owner: { kind: 'Deployment', name: 'rag' } })], {
      services: [activity('rag-api', { pod: 'rag-0' }), activity('rag-api', { pod: 'gone', errorRatio: 0.2 })],
      edges: [
        { cluster: 'eu', from: 'rag-api', to: { kind: 'service', cluster: 'eu', name: 'llama' }, ...rates },
        {
          cluster: 'eu',
          from: 'rag-api',
          to: { kind: 'dependency', name: 'api.example.com', system: 'http' },
          ...rates,
        },
      ],
    });
    const rag = 'service:eu/-/rag-api';
    expect(estate.from(rag, 'serves').map((entity) => entity.ref)).toEqual(['workload:eu/inference/rag']);
    expect(estate.to(rag, 'calls').map((entity) => entity.ref)).toEqual([
      'service:eu/-/llama',
      'dependency:eu/-/api.example.com',
    ]);
    expect(estate.get(rag)?.health).toEqual({ status: 'degraded', reasons: ['10 % of its requests fail'] });
    expect(estate.get(rag)?.facts).toMatchObject({ requestsPerSecond: 4 });
    expect(estate.get('service:eu/-/llama')?.health.status).toBe('unknown');
  });
  test('an address inside the cluster is the service behind it', () => {
    const estate = snapshot([service('qdrant', { app: 'q' })], {
      services: [activity('rag-api'), activity('qdrant')],
      edges: [
        {
          cluster: 'eu',
          from: 'rag-api',
          to: { kind: 'dependency', name: 'qdrant.data.svc.cluster.local:6333', system: 'qdrant' },
          ...rates,
        },
      ],
    });
    expect(estate.to('service:eu/-/rag-api', 'calls').map((entity) => entity.ref)).toEqual(['service:eu/-/qdrant']);
    expect(estate.ofKind('dependency')).toEqual([]);
  });
});
