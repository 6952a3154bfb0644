import { type Entity, type EntityKind, type EntityRef, formatRef } from '../../model/index.ts';
import { healthOf, isUnwell, type Remark } from './health.ts';
import type { Estate, EstateInput } from './input.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { groupBy, type Lookup } from './lookup.ts';
import { kindOf } from './owners.ts';
import { counted, listed } from './words.ts';

/** Namespaces and clusters, with what lies in them. */
export function withGrouping(lower: Estate, input: EstateInput, lookup: Lookup): Estate {
  const namespaces = namespaceEntities(lower, input);
  const relations = [...lower.relations];
  const contains = (from: EntityRef, to: EntityRef) =>
    relations.push({ kind: 'contains', from, to, confidence: 'exact' });
  for (const workload of lookup.ownership.workloads)
    contains(formatRef('namespace', workload.cluster, '', workload.namespace), workload.ref);
  for (const node of lookup.nodes) contains(clusterRef(node.cluster), formatRef('node', node.cluster, '', node.name));
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
  const workloads = groupBy(
    lower.entities.filter((entity) => entity.kind === 'workload'),
    (workload) => formatRef('namespace', workload.cluster, '', workload.namespace),
  );
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
