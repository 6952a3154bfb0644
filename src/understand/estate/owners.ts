import { type Confidence, type EntityRef, formatRef } from '../../model/index.ts';
import type { KubernetesObject, Owner } from './kubernetes-object.ts';

/** The top controller of pods, as an entity. */
export interface WorkloadIdentity {
  ref: EntityRef;
  cluster: string;
  namespace: string;
  name: string;
  /** `Deployment`, `StatefulSet` …, `Pod` for a pod without owner, `StaticPod` for one that a kubelet runs from a file. */
  kind: string;
  /** Its object, where it is known. */
  object: KubernetesObject | undefined;
}

export interface Ownership {
  /** Every workload, with or without pods. */
  workloads: readonly WorkloadIdentity[];
  /** The workload of a pod or of an object on the way up from one; `inferred` when an object of the chain is missing. */
  workloadOf(object: KubernetesObject): { workload: WorkloadIdentity; confidence: Confidence } | undefined;
}

/** Kinds that are workloads by themselves, whether or not pods of theirs exist. In the order that settles equal names. */
const CONTROLLERS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'ReplicaSet'];
/** Owner chains are short; a longer one is a cycle. */
const MOST_STEPS = 6;

/** Follows owner references from pods to the top. */
export function findOwners(objects: readonly KubernetesObject[]): Ownership {
  const byUid = new Map(objects.map((object) => [`${object.cluster} ${object.uid}`, object]));
  const tops = new Map<string, Omit<WorkloadIdentity, 'ref'>>();
  const topOf = new Map<KubernetesObject, { key: string; confidence: Confidence }>();
  for (const object of objects) {
    if (object.kind !== 'Pod' && !CONTROLLERS.includes(object.kind)) continue;
    const { top, confidence } = climb(object, byUid);
    const key = `${top.cluster} ${top.namespace} ${top.kind} ${top.name}`;
    const known = tops.get(key);
    if (!known || (known.object === undefined && top.object !== undefined)) tops.set(key, top);
    topOf.set(object, { key, confidence });
  }
  const workloads = nameWorkloads(tops);
  return {
    workloads: [...workloads.values()],
    workloadOf(object) {
      const found = topOf.get(object);
      const workload = found && workloads.get(found.key);
      return workload && found && { workload, confidence: found.confidence };
    },
  };
}

type Top = Omit<WorkloadIdentity, 'ref'>;

function climb(
  object: KubernetesObject,
  byUid: ReadonlyMap<string, KubernetesObject>,
): { top: Top; confidence: Confidence } {
  let current = object;
  for (let step = 0; step < MOST_STEPS && current.owner; step++) {
    const { owner } = current;
    if (owner.kind === 'Node' && current.kind === 'Pod') return { top: staticPod(current, owner), confidence: 'exact' };
    const next = byUid.get(`${object.cluster} ${owner.uid}`);
    if (!next) return missingOwner(object, owner);
    current = next;
  }
  return { top: identity(object, kindOf(current), current.name, current), confidence: 'exact' };
}

/** The owner's object is not there (not watched, or gone): its reference is all there is to go by. */
function missingOwner(object: KubernetesObject, owner: Owner): { top: Top; confidence: Confidence } {
  const hash = object.labels['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`)) {
    // A ReplicaSet with a template hash in its name is a Deployment's.
    return {
      top: identity(object, 'Deployment', owner.name.slice(0, -hash.length - 1), undefined),
      confidence: 'inferred',
    };
  }
  return {
    top: identity(object, owner.kind, owner.name, undefined),
    confidence: owner.kind === 'ReplicaSet' ? 'inferred' : 'exact',
  };
}

/** Mirror pods carry their node's name as suffix; the same static pod of several nodes is one workload. */
function staticPod(pod: KubernetesObject, node: Owner): Top {
  const name = pod.name.endsWith(`-${node.name}`) ? pod.name.slice(0, -node.name.length - 1) : pod.name;
  return identity(pod, 'StaticPod', name, undefined);
}

function identity(from: KubernetesObject, kind: string, name: string, object: KubernetesObject | undefined): Top {
  return { cluster: from.cluster, namespace: from.namespace, kind, name, object };
}

export function kindOf(object: KubernetesObject): string {
  return object.kind === 'other' || object.kind === 'unreadable' ? object.apiKind : object.kind;
}

/**
 * References of workloads do not name the kind. Of workloads with equal names the first by kind gets the plain
 * reference, the others put their kind before the name.
 */
function nameWorkloads(tops: ReadonlyMap<string, Top>): Map<string, WorkloadIdentity> {
  const order = (top: Top) => (CONTROLLERS.indexOf(top.kind) + CONTROLLERS.length + 1) % (CONTROLLERS.length + 1);
  const taken = new Set<EntityRef>();
  const named = new Map<string, WorkloadIdentity>();
  const sorted = [...tops].sort(([, a], [, b]) => order(a) - order(b) || compare(a.kind, b.kind));
  for (const [key, top] of sorted) {
    const plain = formatRef('workload', top.cluster, top.namespace, top.name);
    const ref = taken.has(plain)
      ? formatRef('workload', top.cluster, top.namespace, `${top.kind.toLowerCase()}/${top.name}`)
      : plain;
    taken.add(ref);
    named.set(key, { ref, ...top });
  }
  return named;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The workload of each pod among the objects, by the pod's reference. */
export function podWorkloads(objects: readonly KubernetesObject[]): Map<EntityRef, EntityRef> {
  const { workloadOf } = findOwners(objects);
  const found = new Map<EntityRef, EntityRef>();
  for (const object of objects) {
    const owner = object.kind === 'Pod' ? workloadOf(object) : undefined;
    if (owner) found.set(formatRef('pod', object.cluster, object.namespace, object.name), owner.workload.ref);
  }
  return found;
}
