import type { ClusterPlan, ContainerPlan, WorkloadPlan } from '../blueprint.ts';
import type { Random } from '../core/random.ts';
import { condition, letters, meta, nodeIp, time } from './metadata.ts';
import type { OwnerReference, Pod, PodSpec } from './object-types.ts';
import { cpuQuantity, memoryQuantity } from './quantity.ts';

/** Between a pod's creation and the start of its container. */
export const START_MS = 1500;

/** Pod addresses that a workload has on each node. */
const ADDRESSES = 6;

/** A pod that runs and is ready, and how it got there. */
export function buildPod(from: {
  plan: ClusterPlan;
  workload: WorkloadPlan;
  /** Position of the workload in its plan, and of the pod among all that the workload ever had: they give its address. */
  position: number;
  ordinal: number;
  node: string;
  owner: OwnerReference;
  labels: Record<string, string>;
  createdMs: number;
  readyMs: number;
  random: Random;
}): Pod {
  const { plan, workload, ordinal, createdMs, random } = from;
  const name =
    workload.kind === 'StatefulSet' ? `${workload.name}-${ordinal}` : `${from.owner.name}-${letters(random, 5)}`;
  const nodeIndex = plan.nodes.findIndex((node) => node.name === from.node);
  const hostNetwork = workload.name === 'node-exporter';
  const hostIP = nodeIp(plan, nodeIndex);
  const podIP = hostNetwork
    ? hostIP
    : `10.${plan.network}.${nodeIndex + 1}.${10 + from.position * ADDRESSES + (ordinal % ADDRESSES)}`;
  const started = time(createdMs + START_MS);
  const ready = time(from.readyMs);
  const { container } = workload;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...meta(random, name, createdMs, {
        namespace: workload.namespace,
        labels: {
          ...from.labels,
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

/** What the template and each pod ask for. */
export function podSpec(workload: WorkloadPlan): PodSpec {
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
