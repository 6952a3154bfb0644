import { type Entity, formatRef, type Health } from '../../model/index.ts';
import { requestedGpus } from './gpus.ts';
import { healthOf, type Remark } from './health.ts';
import { groupBy, type Lookup } from './lookup.ts';
import { nodeHealth } from './node-health.ts';
import { isOver } from './pod-health.ts';
import { gpuCount, quantityNumber } from './quantity.ts';
import { counted, listed } from './words.ts';
import type { JudgedPod } from './workload-health.ts';

export function buildNodes(lookup: Lookup, judged: readonly JudgedPod[], atMs: number): Entity[] {
  const running = judged.filter(({ pod }) => !isOver(pod));
  const podsOn = groupBy(running, ({ pod }) => `${pod.cluster} ${pod.body.spec.nodeName}`);
  return lookup.nodes.map((node): Entity => {
    const own = nodeHealth(node, atMs);
    const here = podsOn.get(`${node.cluster} ${node.name}`) ?? [];
    const { status, spec } = node.body;
    const address = (type: string) => status?.addresses.find((candidate) => candidate.type === type)?.address ?? '';
    const allocatable = status?.allocatable ?? {};
    const product = node.labels['nvidia.com/gpu.product'];
    const amounts = {
      cpuCores: quantityNumber(status?.capacity.cpu),
      memoryBytes: quantityNumber(status?.capacity.memory),
      cpuAllocatable: quantityNumber(allocatable.cpu),
      memoryAllocatable: quantityNumber(allocatable.memory),
      podsAllocatable: quantityNumber(allocatable.pods),
    };
    return {
      ref: formatRef('node', node.cluster, '', node.name),
      kind: 'node',
      cluster: node.cluster,
      namespace: '',
      name: node.name,
      uid: node.uid,
      health: withPods(own, here),
      labels: node.labels,
      facts: {
        internalIP: address('InternalIP'),
        hostname: address('Hostname'),
        kubeletVersion: status?.nodeInfo?.kubeletVersion ?? '',
        kernelVersion: status?.nodeInfo?.kernelVersion ?? '',
        osImage: status?.nodeInfo?.osImage ?? '',
        containerRuntime: status?.nodeInfo?.containerRuntimeVersion ?? '',
        unschedulable: spec?.unschedulable ?? false,
        taints: (spec?.taints ?? []).map(
          (taint) => `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`,
        ),
        pods: here.length,
        gpus: gpuCount(status?.capacity),
        gpusAllocatable: gpuCount(allocatable),
        gpusRequested: here.reduce((sum, { pod }) => sum + requestedGpus(pod), 0),
        ...(product === undefined ? {} : { gpuModel: product }),
        ...Object.fromEntries(
          Object.entries(amounts).filter((entry): entry is [string, number] => entry[1] !== undefined),
        ),
      },
      ...(node.createdMs === undefined ? {} : { createdMs: node.createdMs }),
    };
  });
}

/** Failing pods are told on their node's page; only when most of them fail is the node itself suspect. */
function withPods(own: Health, here: readonly JudgedPod[]): Health {
  const failing = here.filter(({ health }) => health.status === 'failing');
  if (failing.length === 0) return own;
  const most = failing.length >= 2 && failing.length * 2 > here.length;
  const remark: Remark = {
    status: most ? 'degraded' : 'ok',
    reason: `${failing.length} of ${counted(here.length, 'pod')} here ${failing.length === 1 ? 'is' : 'are'} failing: ${listed(failing.map(({ pod }) => pod.name))}`,
  };
  return healthOf([...own.reasons.map((reason) => ({ status: own.status, reason })), remark], own.status);
}
