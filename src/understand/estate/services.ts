import { type Entity, type EntityRef, formatRef, type Health, type Relation } from '../../model/index.ts';
import type { EstateInput, ServiceActivity } from './input.ts';
import type { KubernetesObject, Service } from './kubernetes-object.ts';
import { groupBy, type Lookup } from './lookup.ts';
import { isOver, isReady, type PodObject, podRef } from './pod-health.ts';
import { counted } from './words.ts';

export interface BuiltServices {
  entities: Entity[];
  relations: Relation[];
}

type ServiceObject = KubernetesObject & { kind: 'Service'; body: Service };

/** Kubernetes Services with the pods they select. */
export function buildKubernetesServices(objects: readonly KubernetesObject[], around: Lookup): BuiltServices {
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  for (const object of objects) {
    if (object.kind !== 'Service') continue;
    const selected = selectedPods(object, around);
    const ref = formatRef('service', object.cluster, object.namespace, object.name);
    const { spec } = object.body;
    entities.push({
      ref,
      kind: 'service',
      cluster: object.cluster,
      namespace: object.namespace,
      name: object.name,
      uid: object.uid,
      health: serviceHealth(object, selected),
      labels: object.labels,
      facts: {
        source: 'kubernetes',
        type: spec?.type || 'ClusterIP',
        ...(spec?.clusterIP && spec.clusterIP !== 'None' ? { clusterIP: spec.clusterIP } : {}),
        ...(spec?.externalName ? { externalName: spec.externalName } : {}),
        ports: (spec?.ports ?? []).map((port) => `${port.port}${port.name ? `/${port.name}` : ''}`),
        ready: selected.filter(isReady).length,
        selected: selected.length,
      },
      ...(object.createdMs === undefined ? {} : { createdMs: object.createdMs }),
    });
    relations.push({
      kind: 'contains',
      from: formatRef('namespace', object.cluster, '', object.namespace),
      to: ref,
      confidence: 'exact',
    });
    for (const pod of selected) relations.push({ kind: 'selects', from: ref, to: podRef(pod), confidence: 'exact' });
  }
  return { entities, relations };
}

function selectedPods(service: ServiceObject, around: Lookup): PodObject[] {
  const selector = Object.entries(service.body.spec?.selector ?? {});
  if (selector.length === 0) return [];
  return around
    .podsIn(service.cluster, service.namespace)
    .filter(
      (pod) =>
        pod.namespace === service.namespace &&
        !isOver(pod) &&
        selector.every(([key, value]) => pod.labels[key] === value),
    );
}

function serviceHealth(service: ServiceObject, selected: readonly PodObject[]): Health {
  const { spec } = service.body;
  if (spec?.type === 'ExternalName' || Object.keys(spec?.selector ?? {}).length === 0)
    return { status: 'ok', reasons: [] };
  if (selected.length === 0) return { status: 'idle', reasons: ['its selector matches no pod'] };
  const ready = selected.filter(isReady).length;
  if (ready === 0)
    return { status: 'failing', reasons: [`none of the ${counted(selected.length, 'pod')} it selects is ready`] };
  return { status: 'ok', reasons: [] };
}

/** Services as spans name them, who serves them, and whom they call; what they call without spans of its own is a dependency. */
export function buildTracedServices(
  input: Pick<EstateInput, 'services' | 'edges'>,
  kubernetesServices: readonly Entity[],
  around: Lookup,
): BuiltServices {
  const behind = addressBook(input, kubernetesServices);
  const services = new Map<EntityRef, Entity>();
  const dependencies = new Map<EntityRef, Entity>();
  const relations = new Map<string, Relation>();
  const relate = (relation: Relation) => relations.set(`${relation.kind} ${relation.from} ${relation.to}`, relation);
  const ensure = (cluster: string, name: string, activity: readonly ServiceActivity[]) => {
    const ref = formatRef('service', cluster, '', name);
    if (!services.has(ref)) {
      services.set(ref, tracedService(ref, cluster, name, activity));
      relate({ kind: 'contains', from: formatRef('cluster', cluster, '', cluster), to: ref, confidence: 'exact' });
    }
    return ref;
  };
  const byService = groupBy(input.services, (activity) => `${activity.cluster} ${activity.service}`);
  for (const [, activity] of byService) {
    const [{ cluster, service } = { cluster: '', service: '' }] = activity;
    const ref = ensure(cluster, service, activity);
    for (const workload of workloadsOf(activity, around))
      relate({ kind: 'serves', from: workload, to: ref, confidence: 'exact' });
  }
  for (const edge of input.edges) {
    const from = ensure(edge.cluster, edge.from, []);
    const inside = edge.to.kind === 'dependency' ? behind(edge.cluster, edge.to.name) : undefined;
    if (inside !== undefined) {
      if (inside !== from) relate({ kind: 'calls', from, to: inside, confidence: 'inferred' });
      continue;
    }
    if (edge.to.kind === 'service') {
      relate({ kind: 'calls', from, to: ensure(edge.to.cluster, edge.to.name, []), confidence: 'exact' });
      continue;
    }
    const to = formatRef('dependency', edge.cluster, '', edge.to.name);
    if (!dependencies.has(to)) {
      dependencies.set(to, dependency(to, edge.cluster, edge.to.name, edge.to.system));
      relate({ kind: 'contains', from: formatRef('cluster', edge.cluster, '', edge.cluster), to, confidence: 'exact' });
    }
    relate({ kind: 'calls', from, to, confidence: 'exact' });
  }
  return { entities: [...services.values(), ...dependencies.values()], relations: [...relations.values()] };
}

/**
 * The service of the estate that an address means: one that sends spans and has the host's name (`qdrant` of
 * `qdrant.data.svc:6333`), else the Kubernetes Service of that name and namespace, or of that address.
 */
function addressBook(
  { services }: Pick<EstateInput, 'services'>,
  kubernetesServices: readonly Entity[],
): (cluster: string, address: string) => EntityRef | undefined {
  const traced = new Set(services.map(({ cluster, service }) => `${cluster} ${service}`));
  const byHost = new Map<string, EntityRef>();
  for (const { ref, cluster, namespace, name, facts } of kubernetesServices) {
    byHost.set(`${cluster} ${name}.${namespace}`, ref);
    if (typeof facts.clusterIP === 'string') byHost.set(`${cluster} ${facts.clusterIP}`, ref);
  }
  return (cluster, address) => {
    const host = address.replace(/:\d+$/, '').replace(/\.$/, '');
    const [name = '', namespace = '', third] = host.split('.');
    const isLocal = namespace === '' || third === undefined || third === 'svc';
    if (isLocal && traced.has(`${cluster} ${name}`)) return formatRef('service', cluster, '', name);
    return (
      byHost.get(`${cluster} ${host}`) ?? (third === 'svc' ? byHost.get(`${cluster} ${name}.${namespace}`) : undefined)
    );
  };
}

function workloadsOf(activity: readonly ServiceActivity[], around: Lookup): Set<EntityRef> {
  const refs = new Set<EntityRef>();
  for (const { cluster, namespace, workload, pod } of activity) {
    const found = pod === '' ? undefined : around.findPod(cluster, namespace, pod);
    const ref =
      (found && around.workloadOf(found)?.ref) ??
      (workload === '' ? undefined : around.findWorkload(cluster, namespace, workload)?.ref);
    if (ref !== undefined) refs.add(ref);
  }
  return refs;
}

function tracedService(ref: EntityRef, cluster: string, name: string, activity: readonly ServiceActivity[]): Entity {
  const rate = activity.reduce((sum, one) => sum + one.requestsPerSecond, 0);
  const weighted = (value: (one: ServiceActivity) => number) =>
    rate === 0 ? 0 : activity.reduce((sum, one) => sum + value(one) * one.requestsPerSecond, 0) / rate;
  const errorRatio = weighted((one) => one.errorRatio);
  return {
    ref,
    kind: 'service',
    cluster,
    namespace: '',
    name,
    uid: '',
    health: tracedHealth(activity.length > 0, errorRatio),
    labels: {},
    facts: {
      source: 'traces',
      requestsPerSecond: rate,
      errorRatio,
      meanDurationSeconds: weighted((one) => one.meanDuration),
    },
  };
}

/** Half of the calls failing is beyond dispute; one in twenty is worth a look. What is slow is for investigations to say. */
function tracedHealth(seen: boolean, errorRatio: number): Health {
  if (!seen) return { status: 'unknown', reasons: ['called by others, but sends no spans of its own'] };
  const words = `${(errorRatio * 100).toFixed(errorRatio < 0.1 ? 1 : 0)} % of its requests fail`;
  if (errorRatio >= 0.5) return { status: 'failing', reasons: [words] };
  return errorRatio >= 0.05 ? { status: 'degraded', reasons: [words] } : { status: 'ok', reasons: [] };
}

function dependency(ref: EntityRef, cluster: string, name: string, system: string): Entity {
  return {
    ref,
    kind: 'dependency',
    cluster,
    namespace: '',
    name,
    uid: '',
    health: { status: 'unknown', reasons: [] },
    labels: {},
    facts: system === '' ? {} : { system },
  };
}
