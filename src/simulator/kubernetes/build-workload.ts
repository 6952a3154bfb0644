import type { ClusterPlan, WorkloadPlan } from '../blueprint.ts';
import type { Random } from '../core/random.ts';
import { buildPod, podSpec } from './build-pod.ts';
import { condition, letters, meta, ownerOf, time } from './metadata.ts';
import type { AnyObject, Pod, Workload } from './object-types.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** A pod of the plan with the object that describes it. */
export interface PlacedPod {
  plan: WorkloadPlan;
  node: string;
  pod: Pod;
}

/** The controller of a workload, the ReplicaSet of a Deployment, and the pods: made days ago, all well. */
export function buildWorkload(from: {
  plan: ClusterPlan;
  workload: WorkloadPlan;
  position: number;
  put: (object: AnyObject) => void;
  random: Random;
  foundedMs: number;
}): PlacedPod[] {
  const { plan, workload, position, put, random } = from;
  const appliedMs = from.foundedMs - (3 + position) * DAY - random.below(5) * HOUR;
  const hash = workload.kind === 'Deployment' ? letters(random, 10) : '';
  const top = buildController(workload, random, appliedMs);
  put(top);
  let owner = ownerOf(top);
  if (hash) {
    const replicas = workload.nodes.length;
    const set = buildReplicaSet({
      deployment: top,
      hash,
      revision: 1,
      replicas,
      ready: replicas,
      createdMs: appliedMs,
      random,
    });
    put(set);
    owner = ownerOf(set);
  }
  const labels = { ...workloadLabels(workload), ...(hash ? { 'pod-template-hash': hash } : {}) };
  return workload.nodes.map((node, ordinal) => {
    const createdMs = appliedMs + 1000 + ordinal * 700;
    const readyMs = createdMs + (workload.container.gpus ? 140_000 + random.below(40_000) : 2000 + random.below(4000));
    const pod = buildPod({ plan, workload, position, owner, node, ordinal, createdMs, readyMs, labels, random });
    put(pod);
    return { plan: workload, node, pod };
  });
}

export function workloadLabels({ name }: WorkloadPlan): Record<string, string> {
  return { app: name, 'app.kubernetes.io/name': name };
}

function buildController(workload: WorkloadPlan, random: Random, appliedMs: number): Workload {
  const { namespace, name, kind } = workload;
  const labels = workloadLabels(workload);
  const metadata = meta(random, name, appliedMs, { namespace, labels, generation: 1 });
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: kind === 'Deployment' ? { ...metadata, annotations: revisionAnnotation(1) } : metadata,
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: workload.nodes.length }),
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: podSpec(workload) },
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      ...(kind === 'Deployment'
        ? { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }
        : { updateStrategy: { type: 'RollingUpdate' } }),
    },
    status: workloadStatus(workload, letters(random, 10), appliedMs),
  };
}

/** The set of pods of one revision of a Deployment, whose template it takes. */
export function buildReplicaSet(from: {
  deployment: Workload;
  hash: string;
  revision: number;
  replicas: number;
  ready: number;
  createdMs: number;
  random: Random;
}): Workload {
  const { deployment, hash, replicas, ready } = from;
  const { name, namespace, labels } = deployment.metadata;
  const withHash = { ...labels, 'pod-template-hash': hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...meta(from.random, `${name}-${hash}`, from.createdMs, {
        ...(namespace ? { namespace } : {}),
        labels: withHash,
        generation: 1,
      }),
      annotations: revisionAnnotation(from.revision),
      ownerReferences: [ownerOf(deployment)],
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: name, 'pod-template-hash': hash } },
      template: { ...deployment.spec.template, metadata: { labels: withHash } },
    },
    status: replicaSetStatus(replicas, ready, 1),
  };
}

export function replicaSetStatus(replicas: number, ready: number, generation: number): Workload['status'] {
  return {
    replicas,
    fullyLabeledReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: generation,
  };
}

export function revisionAnnotation(revision: number): Record<string, string> {
  return { 'deployment.kubernetes.io/revision': String(revision) };
}

function workloadStatus(workload: WorkloadPlan, revision: string, appliedMs: number): Workload['status'] {
  const n = workload.nodes.length;
  if (workload.kind === 'DaemonSet') {
    return {
      currentNumberScheduled: n,
      desiredNumberScheduled: n,
      numberAvailable: n,
      numberMisscheduled: 0,
      numberReady: n,
      updatedNumberScheduled: n,
      observedGeneration: 1,
    };
  }
  const replicas = { replicas: n, readyReplicas: n, availableReplicas: n, updatedReplicas: n, observedGeneration: 1 };
  if (workload.kind === 'StatefulSet') {
    const name = `${workload.name}-${revision}`;
    return { ...replicas, currentReplicas: n, currentRevision: name, updateRevision: name };
  }
  return {
    ...replicas,
    conditions: [
      { ...condition('Progressing', time(appliedMs + 9000)), reason: 'NewReplicaSetAvailable' },
      { ...condition('Available', time(appliedMs + 9000)), reason: 'MinimumReplicasAvailable' },
    ],
  };
}
