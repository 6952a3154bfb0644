import type { ClusterPlan, NodePlan, WorkloadPlan } from '../blueprint.ts';
import { type Random, uuid } from '../core/random.ts';
import { H100 } from '../hardware/h100.ts';
import { buildWorkload, type PlacedPod } from './build-workload.ts';
import { meta, nodeIp, time } from './metadata.ts';
import type { ObjectStore } from './object-store.ts';
import type { AnyObject, Condition, Node, Service } from './object-types.ts';
import { cpuQuantity } from './quantity.ts';

const DAY = 86_400_000;

/** When what happened. */
export interface EstateTimes {
  /** The estate's own zero: everything in it was made a fixed time before that, whenever it is looked at. */
  foundedMs: number;
  nowMs: number;
}

/** Fills the store with a cluster that has been running for days, and says which pod runs where. */
export function buildObjects(plan: ClusterPlan, store: ObjectStore, random: Random, times: EstateTimes): PlacedPod[] {
  const { foundedMs } = times;
  const put = (object: AnyObject) => store.put(object);
  for (const name of ['default', 'kube-system', ...new Set(plan.workloads.map((w) => w.namespace))]) {
    put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: meta(random, name, foundedMs - 62 * DAY, { labels: { 'kubernetes.io/metadata.name': name } }),
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
  for (const [i, node] of plan.nodes.entries()) put(buildNode(plan, node, i, random, times));
  return plan.workloads.flatMap((workload, position) => {
    put(buildService(plan, workload, position, random, foundedMs));
    return buildWorkload({ plan, workload, position, put, random, foundedMs });
  });
}

function buildService(
  plan: ClusterPlan,
  workload: WorkloadPlan,
  position: number,
  random: Random,
  foundedMs: number,
): Service {
  const { namespace, name } = workload;
  const { port } = workload.container;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(random, name, foundedMs - 60 * DAY, { namespace, labels: { app: name } }),
    spec: {
      type: 'ClusterIP',
      clusterIP: workload.kind === 'Deployment' ? `172.20.${plan.network}.${20 + position}` : 'None',
      selector: { app: name },
      ports: [{ name: 'http', port, targetPort: port, protocol: 'TCP' }],
    },
    status: { loadBalancer: {} },
  };
}

/** How long before the founding its nodes joined. */
export const NODE_AGE_MS = 61 * DAY;

function buildNode(plan: ClusterPlan, node: NodePlan, index: number, random: Random, times: EstateTimes): Node {
  const created = times.foundedMs - NODE_AGE_MS;
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
      conditions: nodeConditions(created, times.nowMs),
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
