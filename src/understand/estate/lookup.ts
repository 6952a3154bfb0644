import { type Entity, formatRef } from '../../model/index.ts';
import type { EstateInput } from './input.ts';
import type { NodeObject } from './node-health.ts';
import { findOwners, type Ownership, type WorkloadIdentity } from './owners.ts';
import type { PodObject } from './pod-health.ts';

/** The objects of a moment, found by what names them. */
export interface Lookup {
  nodes: readonly NodeObject[];
  pods: readonly PodObject[];
  ownership: Ownership;
  podsOn(cluster: string, node: string): readonly PodObject[];
  podsIn(cluster: string, namespace: string): readonly PodObject[];
  findPod(cluster: string, namespace: string, name: string): PodObject | undefined;
  /** The node's name that a host name, a fully qualified one or an address means. */
  findNode(cluster: string, host: string): string | undefined;
  findWorkload(cluster: string, namespace: string, name: string): WorkloadIdentity | undefined;
  workloadOf(pod: PodObject): WorkloadIdentity | undefined;
}

export function createLookup({ objects }: Pick<EstateInput, 'objects'>): Lookup {
  const nodes = objects.filter((object): object is NodeObject => object.kind === 'Node');
  const ownership = findOwners(objects);
  const byName = new Map<string, PodObject>();
  for (const pod of objects) {
    if (pod.kind !== 'Pod') continue;
    const key = `${pod.cluster} ${pod.namespace} ${pod.name}`;
    const known = byName.get(key);
    // A name that was given again belongs to the newer pod.
    if (!known || (known.createdMs ?? 0) <= (pod.createdMs ?? 0)) byName.set(key, pod);
  }
  const pods = [...byName.values()];
  const onNode = groupBy(pods, (pod) => `${pod.cluster} ${pod.body.spec.nodeName}`);
  const inNamespace = groupBy(pods, (pod) => `${pod.cluster} ${pod.namespace}`);
  const hosts = new Map(nodes.flatMap((node) => hostNames(node).map((host) => [`${node.cluster} ${host}`, node.name])));
  const workloads = new Map(ownership.workloads.map((w) => [w.ref, w]));
  return {
    nodes,
    pods,
    ownership,
    podsOn: (cluster, node) => (node === '' ? [] : (onNode.get(`${cluster} ${node}`) ?? [])),
    podsIn: (cluster, namespace) => inNamespace.get(`${cluster} ${namespace}`) ?? [],
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

export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

export function namespaced(
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
