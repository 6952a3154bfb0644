import type { ClusterPlan, ContainerPlan, NodePlan, WorkloadPlan } from '../blueprint.ts';
import { type Random, uuid } from '../core/random.ts';
import { H100 } from '../hardware/h100.ts';
import type { ObjectStore } from './object-store.ts';
import type {
  AnyObject,
  Condition,
  Node,
  ObjectMeta,
  OwnerReference,
  Pod,
  PodSpec,
  PodTemplate,
  Service,
  Workload,
} from './object-types.ts';
import { cpuQuantity, memoryQuantity } from './quantity.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A pod of the plan with the objects that describe it. */
export interface PlacedPod {
  plan: WorkloadPlan;
  node: string;
  pod: Pod;
  /** Position among its workload's pods. */
  ordinal: number;
}

/** Fills the store with a cluster that has been running for days, and says which pod runs where. */
export function buildObjects(plan: ClusterPlan, store: ObjectStore, random: Random, startMs: number): PlacedPod[] {
  const put = (object: AnyObject) => store.put(object);
  for (const name of ['default', 'kube-system', ...new Set(plan.workloads.map((w) => w.namespace))]) {
    put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: meta(random, name, startMs - 62 * DAY, { labels: { 'kubernetes.io/metadata.name': name } }),
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
  for (const [i, node] of plan.nodes.entries()) put(buildNode(plan, node, i, random, startMs));
  return plan.workloads.flatMap((workload, i) => {
    put(buildService(plan, workload, i, random, startMs));
    return buildWorkload(plan, workload, i, put, random, startMs);
  });
}

function buildWorkload(
  plan: ClusterPlan,
  workload: WorkloadPlan,
  position: number,
  put: (object: AnyObject) => void,
  random: Random,
  startMs: number,
): PlacedPod[] {
  const appliedMs = startMs - (3 + position) * DAY - random.below(5) * HOUR;
  const { namespace, name, kind } = workload;
  const labels = { app: name, 'app.kubernetes.io/name': name };
  const hash = kind === 'Deployment' ? letters(random, 10) : '';
  const template: PodTemplate = { metadata: { labels }, spec: podSpec(workload) };
  const top: Workload = {
    apiVersion: 'apps/v1',
    kind,
    metadata: meta(random, name, appliedMs, { namespace, labels, generation: 1 }),
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: workload.nodes.length }),
      selector: { matchLabels: { app: name } },
      template,
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      ...(kind === 'Deployment'
        ? { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }
        : { updateStrategy: { type: 'RollingUpdate' } }),
    },
    status: workloadStatus(workload, letters(random, 10), appliedMs),
  };
  put(top);
  let owner = ownerOf(top);
  if (kind === 'Deployment') {
    const withHash = { ...labels, 'pod-template-hash': hash };
    const set: Workload = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        ...meta(random, `${name}-${hash}`, appliedMs, { namespace, labels: withHash, generation: 1 }),
        annotations: { 'deployment.kubernetes.io/revision': '1' },
        ownerReferences: [owner],
      },
      spec: {
        replicas: workload.nodes.length,
        selector: { matchLabels: { app: name, 'pod-template-hash': hash } },
        template: { ...template, metadata: { labels: withHash } },
      },
      status: {
        replicas: workload.nodes.length,
        fullyLabeledReplicas: workload.nodes.length,
        readyReplicas: workload.nodes.length,
        availableReplicas: workload.nodes.length,
        observedGeneration: 1,
      },
    };
    put(set);
    owner = ownerOf(set);
  }
  return workload.nodes.map((node, ordinal) => {
    const pod = buildPod({ plan, workload, position, owner, hash, node, ordinal, appliedMs, labels, random });
    put(pod);
    return { plan: workload, node, pod, ordinal };
  });
}

function buildPod(from: {
  plan: ClusterPlan;
  workload: WorkloadPlan;
  position: number;
  owner: OwnerReference;
  hash: string;
  node: string;
  ordinal: number;
  appliedMs: number;
  labels: Record<string, string>;
  random: Random;
}): Pod {
  const { plan, workload, ordinal, random } = from;
  const name =
    workload.kind === 'StatefulSet' ? `${workload.name}-${ordinal}` : `${from.owner.name}-${letters(random, 5)}`;
  const createdMs = from.appliedMs + 1000 + ordinal * 700;
  const loadMs = workload.container.gpus ? 140_000 + random.below(40_000) : 2000 + random.below(4000);
  const nodeIndex = plan.nodes.findIndex((node) => node.name === from.node);
  const hostNetwork = workload.name === 'node-exporter';
  const hostIP = nodeIp(plan, nodeIndex);
  const podIP = hostNetwork ? hostIP : `10.${plan.network}.${nodeIndex + 1}.${10 + from.position * 6 + ordinal}`;
  const started = time(createdMs + 1500);
  const ready = time(createdMs + loadMs);
  const { container } = workload;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...meta(random, name, createdMs, {
        namespace: workload.namespace,
        labels: {
          ...from.labels,
          ...(from.hash ? { 'pod-template-hash': from.hash } : {}),
          ...(workload.kind === 'StatefulSet' ? { 'statefulset.kubernetes.io/pod-name': name } : {}),
        },
      }),
      ...(workload.kind === 'StatefulSet' ? {} : { generateName: `${from.owner.name}-` }),
      ownerReferences: [from.owner],
    },
    spec: { ...podSpec(workload), nodeName: from.node, schedulerName: 'default-scheduler' },
    status: {
      phase: 'Running',
      conditions: [
        condition('PodReadyToStartContainers', time(createdMs + 1200)),
        condition('Initialized', time(createdMs + 100)),
        condition('Ready', ready),
        condition('ContainersReady', ready),
        condition('PodScheduled', time(createdMs + 100)),
      ],
      containerStatuses: [
        {
          name: container.name,
          image: container.image,
          imageID: `${container.image.split(':')[0]}@sha256:${random.hex(64)}`,
          containerID: `containerd://${random.hex(64)}`,
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: started } },
          lastState: {},
        },
      ],
      hostIP,
      podIP,
      podIPs: [{ ip: podIP }],
      startTime: time(createdMs + 100),
      qosClass: 'Burstable',
    },
  };
}

function podSpec(workload: WorkloadPlan): PodSpec {
  const { container } = workload;
  return {
    containers: [
      {
        name: container.name,
        image: container.image,
        ...(container.args ? { args: container.args } : {}),
        ports: [{ name: 'http', containerPort: container.port, protocol: 'TCP' }],
        resources: { requests: requests(container), limits: limits(container) },
        readinessProbe: {
          httpGet: { path: container.gpus ? '/health' : '/healthz', port: container.port, scheme: 'HTTP' },
          periodSeconds: 10,
          timeoutSeconds: 5,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    serviceAccountName: workload.kind === 'DaemonSet' ? workload.name : 'default',
    restartPolicy: 'Always',
    ...(container.gpus ? { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] } : {}),
    ...(workload.name === 'node-exporter' ? { hostNetwork: true } : {}),
    ...(workload.namespace === 'kube-system' ? { priorityClassName: 'system-cluster-critical' } : {}),
  };
}

function requests(container: ContainerPlan): Record<string, string> {
  return {
    cpu: cpuQuantity(container.cpuRequest),
    memory: memoryQuantity(container.memoryRequest),
    ...(container.gpus ? { 'nvidia.com/gpu': String(container.gpus) } : {}),
  };
}

function limits(container: ContainerPlan): Record<string, string> {
  return {
    ...(container.cpuLimit ? { cpu: cpuQuantity(container.cpuLimit) } : {}),
    memory: memoryQuantity(container.memoryLimit),
    ...(container.gpus ? { 'nvidia.com/gpu': String(container.gpus) } : {}),
  };
}

function workloadStatus(workload: WorkloadPlan, revision: string, appliedMs: number): Workload['status'] {
  const n = workload.nodes.length;
  if (workload.kind === 'DaemonSet') {
    return {
      currentNumberScheduled: n,
      desiredNumberScheduled: n,
      numberAvailable: n,
      numberMisscheduled: 0,
      numberReady: n,
      updatedNumberScheduled: n,
      observedGeneration: 1,
    };
  }
  const replicas = { replicas: n, readyReplicas: n, availableReplicas: n, updatedReplicas: n, observedGeneration: 1 };
  if (workload.kind === 'StatefulSet') {
    const name = `${workload.name}-${revision}`;
    return { ...replicas, currentReplicas: n, currentRevision: name, updateRevision: name };
  }
  return {
    ...replicas,
    conditions: [
      { ...condition('Progressing', time(appliedMs + 9000)), reason: 'NewReplicaSetAvailable' },
      { ...condition('Available', time(appliedMs + 9000)), reason: 'MinimumReplicasAvailable' },
    ],
  };
}

function buildService(
  plan: ClusterPlan,
  workload: WorkloadPlan,
  position: number,
  random: Random,
  startMs: number,
): Service {
  const { namespace, name } = workload;
  const { port } = workload.container;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(random, name, startMs - 60 * DAY, { namespace, labels: { app: name } }),
    spec: {
      type: 'ClusterIP',
      clusterIP: workload.kind === 'Deployment' ? `172.20.${plan.network}.${20 + position}` : 'None',
      selector: { app: name },
      ports: [{ name: 'http', port, targetPort: port, protocol: 'TCP' }],
    },
    status: { loadBalancer: {} },
  };
}

function buildNode(plan: ClusterPlan, node: NodePlan, index: number, random: Random, startMs: number): Node {
  const created = startMs - 61 * DAY;
  const resources = (cores: number, memory: number): Record<string, string> => ({
    cpu: cpuQuantity(cores),
    memory: `${Math.floor(memory / 1024)}Ki`,
    'ephemeral-storage': '1843198976Ki',
    pods: '110',
    ...(node.gpus > 0 ? { 'nvidia.com/gpu': String(node.gpus) } : {}),
  });
  const machineId = random.hex(32);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta(random, node.name, created, {
      labels: {
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': plan.name,
        'topology.kubernetes.io/zone': `${plan.name}-a`,
        ...(node.gpus > 0 ? gpuLabels(node) : {}),
      },
    }),
    spec: {
      podCIDR: `10.${plan.network}.${index + 1}.0/24`,
      providerID: `metal://${plan.name}/${machineId}`,
      ...(node.gpus > 0 ? { taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] } : {}),
    },
    status: {
      capacity: resources(node.cores, node.memoryBytes),
      allocatable: resources(node.cores - 0.5, node.memoryBytes - 2 ** 30),
      conditions: nodeConditions(created, startMs),
      addresses: [
        { type: 'InternalIP', address: nodeIp(plan, index) },
        { type: 'Hostname', address: node.name },
      ],
      nodeInfo: {
        machineID: machineId,
        systemUUID: uuid(random),
        bootID: uuid(random),
        kernelVersion: KERNEL,
        osImage: 'Ubuntu 22.04.5 LTS',
        containerRuntimeVersion: 'containerd://1.7.27',
        kubeletVersion: 'v1.34.1',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  };
}

/** Kernel release of every simulated node. */
export const KERNEL = '5.15.0-139-generic';
/** NVIDIA driver of every simulated GPU node. */
export const DRIVER = '580.82.07';

/** Labels that GPU feature discovery sets. */
function gpuLabels(node: NodePlan): Record<string, string> {
  return {
    'nvidia.com/gpu.present': 'true',
    'nvidia.com/gpu.product': H100.product,
    'nvidia.com/gpu.count': String(node.gpus),
    'nvidia.com/gpu.memory': String(H100.memoryMiB),
    'nvidia.com/gpu.family': 'hopper',
    'nvidia.com/gpu.compute.major': '9',
    'nvidia.com/gpu.compute.minor': '0',
    'nvidia.com/gpu.replicas': '1',
    'nvidia.com/gpu.sharing-strategy': 'none',
    'nvidia.com/cuda.driver-version.full': DRIVER,
    'nvidia.com/cuda.runtime-version.full': '13.0',
    'nvidia.com/mig.capable': 'true',
    'nvidia.com/mig.strategy': 'single',
  };
}

function nodeConditions(createdMs: number, heartbeatMs: number): Condition[] {
  const make = (type: string, status: 'True' | 'False', reason: string, message: string): Condition => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time(heartbeatMs),
    lastTransitionTime: time(createdMs + 60_000),
  });
  return [
    make('NetworkUnavailable', 'False', 'CiliumIsUp', 'Cilium is running on this node'),
    make('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    make('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    make('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    make('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

/** Address of the node with that position in the plan. */
export function nodeIp(plan: ClusterPlan, index: number): string {
  return `192.168.${plan.network}.${10 + index}`;
}

function meta(
  random: Random,
  name: string,
  createdMs: number,
  more: Partial<Pick<ObjectMeta, 'namespace' | 'labels' | 'generation'>>,
): ObjectMeta {
  return { name, ...more, uid: uuid(random), resourceVersion: '', creationTimestamp: time(createdMs) };
}

function ownerOf(object: Workload): OwnerReference {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

function condition(type: string, since: string): Condition {
  return { type, status: 'True', lastTransitionTime: since };
}

/** Kubernetes writes times in UTC without fractions. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function letters(random: Random, count: number): string {
  return Array.from({ length: count }, () => NAME_LETTERS[random.below(NAME_LETTERS.length)]).join('');
}
