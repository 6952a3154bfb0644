import { type Entity, type FactValue, formatRef, type Health, type Relation } from '../../model/index.ts';
import { requestedGpus } from './gpus.ts';
import type { EstateInput } from './input.ts';
import type { Container } from './kubernetes-object.ts';
import { groupBy, type Lookup, namespaced } from './lookup.ts';
import { isReady, isSidecar, type PodObject, podHealth, podRef, restartsOf, statusOf } from './pod-health.ts';
import { gpuCount, quantityNumber } from './quantity.ts';
import type { JudgedPod } from './workload-health.ts';

export function judgePods(lookup: Lookup, { atMs, events }: EstateInput): JudgedPod[] {
  const eventsOf = groupBy(events, (event) => event.entity);
  return lookup.pods.map((pod) => ({ pod, health: podHealth(pod, atMs, eventsOf.get(podRef(pod))) }));
}

export function buildPods(lookup: Lookup, judged: readonly JudgedPod[]): Entity[] {
  return judged.flatMap(({ pod, health }) => {
    const { spec, status } = pod.body;
    const facts: Record<string, FactValue> = {
      phase: pod.deletedMs === undefined ? (status?.phase ?? '') : 'Terminating',
      node: spec.nodeName,
      ip: status?.podIP ?? '',
      ready: isReady(pod),
      restarts: restartsOf(pod),
      workload: lookup.workloadOf(pod)?.ref ?? '',
      image: spec.containers[0]?.image ?? '',
      images: [...new Set(spec.containers.map((container) => container.image))],
      ...(status?.qosClass ? { qos: status.qosClass } : {}),
      ...(requestedGpus(pod) > 0 ? { gpus: requestedGpus(pod) } : {}),
    };
    const entity: Entity = { ...namespaced('pod', pod), health, labels: pod.labels, facts };
    const containers = [...spec.initContainers, ...spec.containers].map((container) =>
      containerEntity(pod, container, health),
    );
    return [entity, ...containers];
  });
}

export function podRelations(judged: readonly JudgedPod[]): Relation[] {
  return judged.flatMap(({ pod }) => {
    const from = podRef(pod);
    const containers = [...pod.body.spec.initContainers, ...pod.body.spec.containers].map(
      (container): Relation => ({
        kind: 'contains',
        from,
        to: formatRef('container', pod.cluster, pod.namespace, `${pod.name}/${container.name}`),
        confidence: 'exact',
      }),
    );
    const { nodeName } = pod.body.spec;
    if (nodeName === '') return containers;
    return [
      { kind: 'runs-on', from, to: formatRef('node', pod.cluster, '', nodeName), confidence: 'exact' },
      ...containers,
    ];
  });
}

function containerEntity(pod: PodObject, container: Container, podHealth: Health): Entity {
  const status = statusOf(pod, container);
  const { requests, limits } = container.resources ?? {};
  const amounts: Record<string, number | undefined> = {
    cpuRequest: quantityNumber(requests?.cpu),
    cpuLimit: quantityNumber(limits?.cpu),
    memoryRequest: quantityNumber(requests?.memory),
    memoryLimit: quantityNumber(limits?.memory),
    gpus: gpuCount(limits) || undefined,
  };
  const kind = pod.body.spec.containers.includes(container) ? 'app' : isSidecar(container) ? 'sidecar' : 'init';
  const state = status?.state?.running ? 'running' : status?.state?.terminated ? 'terminated' : 'waiting';
  const facts: Record<string, FactValue> = {
    containerKind: kind,
    image: status?.image || container.image,
    state,
    ready: status?.ready ?? false,
    restarts: status?.restartCount ?? 0,
    ...Object.fromEntries(Object.entries(amounts).filter((entry): entry is [string, number] => entry[1] !== undefined)),
  };
  return {
    ...namespaced('container', { ...pod, name: `${pod.name}/${container.name}`, uid: '' }),
    health: containerHealth(container.name, podHealth),
    labels: {},
    facts,
  };
}

/** The part of the pod's health that names the container. */
function containerHealth(name: string, { status, reasons }: Health): Health {
  if (reasons.length === 0) return { status, reasons };
  const own = reasons.filter((reason) =>
    new RegExp(`\\bcontainer ${name.replace(/[^\w-]/g, '.')}(?![\\w-])`).test(reason),
  );
  return own.length > 0
    ? { status, reasons: own }
    : { status: status === 'idle' || status === 'unknown' ? status : 'ok', reasons: [] };
}
