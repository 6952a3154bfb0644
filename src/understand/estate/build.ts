import {
  type Entity,
  type EntityKind,
  type EntityRef,
  type FactValue,
  formatRef,
  type Health,
  type Relation,
} from '../../model/index.ts';
import type { EstateEvent } from './event.ts';
import { buildGpus, requestedGpus } from './gpus.ts';
import { healthOf, isUnwell, type Remark } from './health.ts';
import type { Estate, EstateInput, ModelSeries } from './input.ts';
import type { Container, KubernetesObject } from './kubernetes-object.ts';
import { modelServing } from './models.ts';
import { type NodeObject, nodeHealth } from './node-health.ts';
import { findOwners, kindOf, type Ownership, type WorkloadIdentity } from './owners.ts';
import { isOver, isReady, isSidecar, type PodObject, podHealth, podRef, restartsOf, statusOf } from './pod-health.ts';
import { gpuCount, quantityNumber } from './quantity.ts';
import { buildKubernetesServices, buildTracedServices } from './services.ts';
import { counted, listed } from './words.ts';
import { type JudgedPod, workloadState } from './workload-health.ts';

/** The estate as it held at one moment. Health rolls up: pod → workload → namespace and cluster; node → cluster. */
export function buildEstate(input: EstateInput): Estate {
  const index = indexObjects(input);
  const pods = judgePods(index, input);
  const workloads = buildWorkloads(index, pods, input.models);
  const nodes = buildNodes(index, pods, input.atMs);
  const gpus = buildGpus(input, index);
  const services = buildKubernetesServices(input.objects, index);
  const traced = buildTracedServices(input, services.entities, index);
  const lower: Estate = {
    entities: [
      ...workloads.entities,
      ...buildPods(index, pods),
      ...nodes,
      ...gpus.entities,
      ...services.entities,
      ...traced.entities,
    ],
    relations: [
      ...workloads.relations,
      ...podRelations(pods),
      ...gpus.relations,
      ...services.relations,
      ...traced.relations,
    ],
  };
  return withGrouping(lower, input, index);
}

interface Index {
  nodes: readonly NodeObject[];
  pods: readonly PodObject[];
  ownership: Ownership;
  podsOf(cluster: string): readonly PodObject[];
  findPod(cluster: string, namespace: string, name: string): PodObject | undefined;
  findNode(cluster: string, host: string): string | undefined;
  findWorkload(cluster: string, namespace: string, name: string): WorkloadIdentity | undefined;
  workloadOf(pod: PodObject): WorkloadIdentity | undefined;
}

function indexObjects({ objects }: EstateInput): Index {
  const pods = objects.filter((object): object is PodObject => object.kind === 'Pod');
  const nodes = objects.filter((object): object is NodeObject => object.kind === 'Node');
  const ownership = findOwners(objects);
  const byCluster = new Map<string, PodObject[]>();
  const byName = new Map<string, PodObject>();
  for (const pod of pods) {
    const siblings = byCluster.get(pod.cluster);
    if (siblings) siblings.push(pod);
    else byCluster.set(pod.cluster, [pod]);
    const key = `${pod.cluster} ${pod.namespace} ${pod.name}`;
    const known = byName.get(key);
    // A name that was given again belongs to the newer pod.
    if (!known || (known.createdMs ?? 0) <= (pod.createdMs ?? 0)) byName.set(key, pod);
  }
  const hosts = new Map(nodes.flatMap((node) => hostNames(node).map((host) => [`${node.cluster} ${host}`, node.name])));
  const workloads = new Map(ownership.workloads.map((w) => [w.ref, w]));
  return {
    nodes,
    pods: [...byName.values()],
    ownership,
    podsOf: (cluster) => byCluster.get(cluster) ?? [],
    findPod: (cluster, namespace, name) => byName.get(`${cluster} ${namespace} ${name}`),
    findNode: (cluster, host) => hosts.get(`${cluster} ${host}`) ?? hosts.get(`${cluster} ${host.split('.')[0]}`),
    findWorkload: (cluster, namespace, name) => workloads.get(formatRef('workload', cluster, namespace, name)),
    workloadOf: (pod) => ownership.workloadOf(pod)?.workload,
  };
}

/** Everything that may stand for a node in a label: its name, short name, host name and addresses. */
function hostNames(node: NodeObject): string[] {
  const addresses = (node.body.status?.addresses ?? []).map((address) => address.address);
  const names = [node.name, ...addresses];
  return [
    ...names,
    ...names.filter((name) => /[a-z]/i.test(name) && !name.includes(':')).map((name) => name.split('.')[0] ?? name),
  ];
}

function judgePods(index: Index, { atMs, events }: EstateInput): JudgedPod[] {
  const eventsOf = new Map<EntityRef, EstateEvent[]>();
  for (const event of events) eventsOf.set(event.entity, [...(eventsOf.get(event.entity) ?? []), event]);
  return index.pods.map((pod) => ({ pod, health: podHealth(pod, atMs, eventsOf.get(podRef(pod))) }));
}

function buildPods(index: Index, judged: readonly JudgedPod[]): Entity[] {
  return judged.flatMap(({ pod, health }) => {
    const { spec, status } = pod.body;
    const facts: Record<string, FactValue> = {
      phase: pod.deletedMs === undefined ? (status?.phase ?? '') : 'Terminating',
      node: spec.nodeName,
      ip: status?.podIP ?? '',
      ready: isReady(pod),
      restarts: restartsOf(pod),
      workload: index.workloadOf(pod)?.ref ?? '',
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
  const own = reasons.filter((reason) =>
    new RegExp(`\\bcontainer ${name.replace(/[^\w-]/g, '.')}(?![\\w-])`).test(reason),
  );
  return own.length > 0
    ? { status, reasons: own }
    : { status: status === 'idle' || status === 'unknown' ? status : 'ok', reasons: [] };
}

function podRelations(judged: readonly JudgedPod[]): Relation[] {
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

function buildWorkloads(index: Index, judged: readonly JudgedPod[], models: readonly ModelSeries[]): Estate {
  const podsOf = new Map<EntityRef, JudgedPod[]>();
  const relations: Relation[] = [];
  for (const one of judged) {
    const found = index.ownership.workloadOf(one.pod);
    if (!found) continue;
    const siblings = podsOf.get(found.workload.ref);
    if (siblings) siblings.push(one);
    else podsOf.set(found.workload.ref, [one]);
    relations.push({ kind: 'contains', from: found.workload.ref, to: podRef(one.pod), confidence: found.confidence });
  }
  const seriesOf = new Map<string, ModelSeries[]>();
  for (const series of models) {
    const key = `${series.cluster} ${series.namespace} ${series.pod}`;
    seriesOf.set(key, [...(seriesOf.get(key) ?? []), series]);
  }
  const entities = index.ownership.workloads.map((workload): Entity => {
    const members = podsOf.get(workload.ref) ?? [];
    const { health, desired, ready } = workloadState(workload.object, workload.kind, members);
    const running = members.filter(({ pod }) => !isOver(pod)).map(({ pod }) => pod);
    const serving = modelServing(
      running,
      running.flatMap((pod) => seriesOf.get(`${pod.cluster} ${pod.namespace} ${pod.name}`) ?? []),
    );
    const images = new Set(running.flatMap((pod) => pod.body.spec.containers.map((container) => container.image)));
    const gpus = running.reduce((sum, pod) => sum + requestedGpus(pod), 0);
    return {
      ...namespaced('workload', {
        ...workload,
        uid: workload.object?.uid ?? '',
        createdMs: workload.object?.createdMs,
      }),
      ref: workload.ref,
      health,
      labels: workload.object?.labels ?? {},
      facts: {
        workloadKind: workload.kind,
        ...(desired === undefined ? {} : { desired }),
        ...(ready === undefined ? {} : { ready }),
        images: [...images].sort(),
        ...(gpus > 0 ? { gpus } : {}),
        ...(serving ? { engine: serving.engine, model: serving.models } : {}),
        ...(serving?.version ? { engineVersion: serving.version } : {}),
      },
    };
  });
  return { entities, relations };
}

function buildNodes(index: Index, judged: readonly JudgedPod[], atMs: number): Entity[] {
  const podsOn = new Map<string, JudgedPod[]>();
  for (const one of judged) {
    if (isOver(one.pod)) continue;
    const key = `${one.pod.cluster} ${one.pod.body.spec.nodeName}`;
    const others = podsOn.get(key);
    if (others) others.push(one);
    else podsOn.set(key, [one]);
  }
  return index.nodes.map((node): Entity => {
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

/** Namespaces and clusters, with what lies in them. */
function withGrouping(lower: Estate, input: EstateInput, index: Index): Estate {
  const namespaces = namespaceEntities(lower, input);
  const relations = [...lower.relations];
  const contains = (from: EntityRef, to: EntityRef) =>
    relations.push({ kind: 'contains', from, to, confidence: 'exact' });
  for (const workload of index.ownership.workloads)
    contains(formatRef('namespace', workload.cluster, '', workload.namespace), workload.ref);
  for (const node of index.nodes) contains(clusterRef(node.cluster), formatRef('node', node.cluster, '', node.name));
  for (const namespace of namespaces) contains(clusterRef(namespace.cluster), namespace.ref);
  const names = new Set([...input.clusters, ...lower.entities.map((entity) => entity.cluster)]);
  const clusters = [...names].sort().map((name) => clusterEntity(name, lower.entities, input));
  return { entities: [...clusters, ...namespaces, ...lower.entities], relations };
}

function clusterRef(cluster: string): EntityRef {
  return formatRef('cluster', cluster, '', cluster);
}

function namespaceEntities(lower: Estate, input: EstateInput): Entity[] {
  const objects = new Map<EntityRef, KubernetesObject>();
  const workloads = new Map<EntityRef, Entity[]>();
  const refs = new Map<EntityRef, { cluster: string; name: string }>();
  for (const object of input.objects) {
    if (object.kind !== 'Namespace') continue;
    const ref = formatRef('namespace', object.cluster, '', object.name);
    objects.set(ref, object);
    refs.set(ref, { cluster: object.cluster, name: object.name });
  }
  for (const entity of lower.entities) {
    if (entity.namespace === '') continue;
    const ref = formatRef('namespace', entity.cluster, '', entity.namespace);
    refs.set(ref, { cluster: entity.cluster, name: entity.namespace });
    if (entity.kind === 'workload') workloads.set(ref, [...(workloads.get(ref) ?? []), entity]);
  }
  return [...refs].map(([ref, { cluster, name }]): Entity => {
    const object = objects.get(ref);
    const terminating = object?.kind === 'Namespace' && object.body.status?.phase === 'Terminating';
    const members = workloads.get(ref) ?? [];
    const remarks: Remark[] = terminating ? [{ status: 'degraded', reason: 'terminating' }] : [];
    return {
      ref,
      kind: 'namespace',
      cluster,
      // Seen by whoever may see the namespace: its own name stands where other entities name theirs.
      namespace: name,
      name,
      uid: object?.uid ?? '',
      health: healthOf([...remarks, ...membersRemarks(members, 'workload')], members.length === 0 ? 'idle' : 'ok'),
      labels: object?.labels ?? {},
      facts: { workloads: members.length },
      ...(object?.createdMs === undefined ? {} : { createdMs: object.createdMs }),
    };
  });
}

function clusterEntity(name: string, entities: readonly Entity[], { objects, problems }: EstateInput): Entity {
  const own = entities.filter((entity) => entity.cluster === name);
  const ofKind = (kind: EntityKind) => own.filter((entity) => entity.kind === kind);
  const nodes = ofKind('node');
  const workloads = ofKind('workload');
  const gpus = ofKind('gpu');
  const unreadable = objects.filter((object) => object.cluster === name && object.kind === 'unreadable');
  const remarks = [
    ...membersRemarks(nodes, 'node'),
    ...membersRemarks(gpus, 'GPU', (gpu) => `${gpu.facts.node}/${gpu.facts.index}`),
    ...membersRemarks(workloads, 'workload'),
  ];
  if (unreadable.length > 0) {
    const examples = listed(
      unreadable.map((object) => `${kindOf(object)} ${object.name}`),
      2,
    );
    remarks.push({ status: 'ok', reason: `${counted(unreadable.length, 'object')} could not be read: ${examples}` });
  }
  remarks.push(...problems.map((reason): Remark => ({ status: 'ok', reason })));
  return {
    ref: clusterRef(name),
    kind: 'cluster',
    cluster: name,
    namespace: '',
    name,
    uid: '',
    health: own.length === 0 ? { status: 'unknown', reasons: ['nothing has been seen of it yet'] } : healthOf(remarks),
    labels: {},
    facts: {
      nodes: nodes.length,
      gpus: gpus.length,
      workloads: workloads.length,
      models: workloads.filter((workload) => workload.facts.engine !== undefined).length,
      pods: ofKind('pod').length,
      services: ofKind('service').length,
    },
  };
}

/** What is failing makes the whole degraded; when everything fails, so does the whole. */
function membersRemarks(members: readonly Entity[], noun: string, nameOf = (entity: Entity) => entity.name): Remark[] {
  const failing = members.filter((member) => member.health.status === 'failing');
  const degraded = members.filter((member) => isUnwell(member.health) && member.health.status !== 'failing');
  const remarks: Remark[] = [];
  const told = (some: readonly Entity[], word: string) =>
    `${some.length} of ${counted(members.length, noun)} ${word}: ${listed(
      some.map((member) => `${nameOf(member)}${member.health.reasons[0] ? ` (${member.health.reasons[0]})` : ''}`),
      2,
    )}`;
  if (failing.length > 0) {
    remarks.push({
      status: failing.length === members.length ? 'failing' : 'degraded',
      reason: told(failing, 'failing'),
    });
  }
  const worst = degraded.some((member) => member.health.status === 'degraded') ? 'degraded' : 'unknown';
  if (degraded.length > 0) remarks.push({ status: worst, reason: told(degraded, worst) });
  return remarks;
}

function namespaced(
  kind: 'pod' | 'workload' | 'container',
  of: { cluster: string; namespace: string; name: string; uid: string; createdMs?: number | undefined },
): Pick<Entity, 'ref' | 'kind' | 'cluster' | 'namespace' | 'name' | 'uid' | 'createdMs'> {
  return {
    ref: formatRef(kind, of.cluster, of.namespace, of.name),
    kind,
    cluster: of.cluster,
    namespace: of.namespace,
    name: of.name,
    uid: of.uid,
    ...(of.createdMs === undefined ? {} : { createdMs: of.createdMs }),
  };
}
