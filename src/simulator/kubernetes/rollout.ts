import type { ClusterPlan, WorkloadPlan } from '../blueprint.ts';
import type { Random } from '../core/random.ts';
import { buildPod, podSpec, START_MS } from './build-pod.ts';
import {
  buildReplicaSet,
  type PlacedPod,
  replicaSetStatus,
  revisionAnnotation,
  workloadLabels,
} from './build-workload.ts';
import { type EventWords, putEvent } from './events.ts';
import { condition, letters, ownerOf, time } from './metadata.ts';
import type { ObjectStore } from './object-store.ts';
import type { Pod, Workload } from './object-types.ts';

/** Something that happens at a time. */
export interface Step {
  atMs: number;
  run: () => void;
}

export interface RolloutOptions {
  plan: ClusterPlan;
  /** With the new image. */
  workload: WorkloadPlan;
  revision: number;
  /** Whole seconds. */
  startMs: number;
  store: ObjectStore;
  random: Random;
  onStarted: (placed: PlacedPod) => void;
  /** The first pod gets requests from now on, the second none any more. */
  onSwapped: (added: string, left: string) => void;
  onGone: (pod: string) => void;
}

/** From one new pod to the next. */
const PAUSE_MS = 8000;
const READY_MS = 5000;
/** A pod that has to go takes no new requests and finishes those it has. */
const GRACE_MS = 40_000;

/**
 * A Deployment goes over to another image, as its controllers do it with a surge of one: each new pod is created, started
 * and ready before an old one leaves. The steps write objects and events with the steps' own times and tell what becomes
 * of the pods. They are in order of time; running them later, one after the other, leads to the same.
 */
export function planRollout(options: RolloutOptions): Step[] {
  const rollout = new Rollout(options);
  const steps = options.workload.nodes.flatMap((node, i) => {
    const createdMs = options.startMs + i * PAUSE_MS;
    const readyMs = createdMs + READY_MS;
    const change: Replacement = { node, i, createdMs, readyMs, added: undefined, left: undefined };
    return [
      { atMs: createdMs, run: () => rollout.create(change) },
      { atMs: createdMs + START_MS, run: () => rollout.start(change) },
      { atMs: readyMs, run: () => rollout.swap(change) },
      { atMs: readyMs + GRACE_MS, run: () => rollout.remove(change) },
    ];
  });
  return steps.sort((a, b) => a.atMs - b.atMs);
}

/** One new pod and the old one that leaves for it. */
interface Replacement {
  node: string;
  i: number;
  createdMs: number;
  readyMs: number;
  added: Pod | undefined;
  left: Pod | undefined;
}

class Rollout {
  private readonly options: RolloutOptions;
  private readonly hash: string;
  private readonly leaving = new Set<string>();

  constructor(options: RolloutOptions) {
    this.options = options;
    this.hash = letters(options.random, 10);
  }

  /** The controllers ask for one pod more, and the scheduler finds a node. */
  create(change: Replacement): void {
    const { plan, workload, revision, random, store } = this.options;
    const { node, i, createdMs, readyMs } = change;
    if (i === 0) this.renew(createdMs);
    const set = this.scale(`${workload.name}-${this.hash}`, i + 1, createdMs);
    const pod = buildPod({
      plan,
      workload,
      position: plan.workloads.findIndex(({ name }) => name === workload.name),
      ordinal: (revision - 1) * workload.nodes.length + i,
      node,
      owner: ownerOf(set),
      labels: { ...workloadLabels(workload), 'pod-template-hash': this.hash },
      createdMs,
      readyMs,
      random,
    });
    change.added = pod;
    const { name, namespace } = pod.metadata;
    const created = { reason: 'SuccessfulCreate', message: `Created pod: ${name}`, component: 'replicaset-controller' };
    const assigned = `Successfully assigned ${namespace}/${name} to ${node}`;
    putEvent(store, random, set, createdMs, created);
    putEvent(store, random, pod, createdMs, { reason: 'Scheduled', message: assigned, component: 'default-scheduler' });
  }

  /** The kubelet runs it; it is not ready yet. */
  start({ added, node, createdMs }: Replacement): void {
    const { workload, store } = this.options;
    const pod = expected(added);
    const { image, name } = workload.container;
    store.put(notReady(pod));
    this.count();
    const pulled = `Successfully pulled image "${image}" in 884ms (884ms including waiting). Image size: 214958433 bytes.`;
    const words = { Pulled: pulled, Created: `Created container: ${name}`, Started: `Started container ${name}` };
    for (const [reason, message] of Object.entries(words)) this.kubelet(pod, createdMs + START_MS, reason, message);
    this.options.onStarted({ plan: workload, node, pod });
  }

  /** The new pod is ready, so an old one may go. */
  swap(change: Replacement): void {
    const { workload, store, random } = this.options;
    const { i, readyMs } = change;
    const added = expected(change.added);
    store.put(added);
    const left = expected(this.pods().find((pod) => !this.isNew(pod) && !this.leaving.has(pod.metadata.name)));
    change.left = left;
    this.leaving.add(left.metadata.name);
    const set = this.scale(left.metadata.ownerReferences?.[0]?.name ?? '', workload.nodes.length - i - 1, readyMs);
    this.count();
    const deleted = `Deleted pod: ${left.metadata.name}`;
    putEvent(store, random, set, readyMs, {
      reason: 'SuccessfulDelete',
      message: deleted,
      component: 'replicaset-controller',
    });
    this.kubelet(left, readyMs, 'Killing', `Stopping container ${workload.container.name}`);
    this.options.onSwapped(added.metadata.name, left.metadata.name);
  }

  remove({ left }: Replacement): void {
    const { namespace = '', name } = expected(left).metadata;
    this.options.store.remove('pods', namespace, name);
    this.options.onGone(name);
  }

  /** Somebody applies the new template. */
  private renew(atMs: number): void {
    const { workload, revision, store, random } = this.options;
    const old = this.deployment();
    const { metadata, spec } = old;
    const deployment: Workload = {
      ...old,
      metadata: { ...metadata, generation: revision, annotations: revisionAnnotation(revision) },
      spec: { ...spec, template: { ...spec.template, spec: podSpec(workload) } },
      status: {
        ...old.status,
        observedGeneration: revision,
        conditions: [
          { ...condition('Progressing', time(atMs)), reason: 'NewReplicaSetAvailable' },
          ...(Array.isArray(old.status.conditions) ? old.status.conditions.slice(1) : []),
        ],
      },
    };
    store.put(deployment);
    const empty = { replicas: 0, ready: 0, createdMs: atMs, revision, hash: this.hash };
    store.put(buildReplicaSet({ deployment, random, ...empty }));
  }

  /** The deployment controller sets how many pods a ReplicaSet shall have. Returns the set. */
  private scale(name: string, replicas: number, atMs: number): Workload {
    const { workload, store, random } = this.options;
    const set = expected(store.get('replicasets', workload.namespace, name));
    const from = set.spec.replicas ?? 0;
    const generation = (set.metadata.generation ?? 0) + 1;
    store.put({ ...set, metadata: { ...set.metadata, generation }, spec: { ...set.spec, replicas } });
    const message = `Scaled ${replicas > from ? 'up' : 'down'} replica set ${name} from ${from} to ${replicas}`;
    const words: EventWords = { reason: 'ScalingReplicaSet', message, component: 'deployment-controller' };
    putEvent(store, random, this.deployment(), atMs, words);
    return set;
  }

  /** Brings the statuses of the Deployment and its sets in line with the pods; one that leaves counts no more. */
  private count(): void {
    const { store } = this.options;
    const pods = this.pods().filter((pod) => !this.leaving.has(pod.metadata.name));
    const ready = (some: Pod[]) => some.filter((pod) => pod.status.containerStatuses.every((c) => c.ready)).length;
    for (const set of store.list('replicasets')) {
      if (set.metadata.ownerReferences?.[0]?.uid !== this.deployment().metadata.uid) continue;
      const own = pods.filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === set.metadata.uid);
      store.put({ ...set, status: replicaSetStatus(own.length, ready(own), set.metadata.generation ?? 1) });
    }
    const deployment = this.deployment();
    store.put({
      ...deployment,
      status: {
        ...deployment.status,
        replicas: pods.length,
        readyReplicas: ready(pods),
        availableReplicas: ready(pods),
        updatedReplicas: pods.filter((pod) => this.isNew(pod)).length,
      },
    });
  }

  private deployment(): Workload {
    const { workload, store } = this.options;
    return expected(store.get('deployments', workload.namespace, workload.name));
  }

  private pods(): Pod[] {
    const { workload, store } = this.options;
    const own = ({ metadata }: Pod) =>
      metadata.namespace === workload.namespace && metadata.labels?.app === workload.name;
    return store.list('pods').filter(own);
  }

  private isNew(pod: Pod): boolean {
    return pod.metadata.labels?.['pod-template-hash'] === this.hash;
  }

  private kubelet(about: Pod, atMs: number, reason: string, message: string): void {
    const { store, random, workload } = this.options;
    const where = { host: about.spec.nodeName ?? '', fieldPath: `spec.containers{${workload.container.name}}` };
    putEvent(store, random, about, atMs, { reason, message, component: 'kubelet', ...where });
  }
}

/** The pod between the start of its container and its first passed readiness check. */
function notReady(pod: Pod): Pod {
  const { status } = pod;
  const waits = new Set(['Ready', 'ContainersReady']);
  return {
    ...pod,
    status: {
      ...status,
      conditions: status.conditions.map((c) =>
        waits.has(c.type)
          ? { ...c, status: 'False', reason: 'ContainersNotReady', lastTransitionTime: status.startTime }
          : c,
      ),
      containerStatuses: status.containerStatuses.map((container) => ({ ...container, ready: false })),
    },
  };
}

function expected<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a rollout ran out of order, or for something that is no Deployment');
  return value;
}
