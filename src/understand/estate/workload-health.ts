import type { Health, HealthStatus } from '../../model/index.ts';
import { healthOf, isUnwell, type Remark } from './health.ts';
import type {
  Condition,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  KubernetesObject,
  StatefulSet,
} from './kubernetes-object.ts';
import type { PodObject } from './pod-health.ts';
import { isOver, isReady } from './pod-health.ts';
import { colon, counted, listed } from './words.ts';

/** A pod of the workload with what was found about it. */
export interface JudgedPod {
  pod: PodObject;
  health: Health;
}

export interface WorkloadState {
  health: Health;
  /** Pods that should run, and those that serve; undefined where the kind has no such number. */
  desired: number | undefined;
  ready: number | undefined;
}

/** What the controller says about itself, then what its pods suffer from. `object` is undefined when it was never seen. */
export function workloadState(
  object: KubernetesObject | undefined,
  kind: string,
  pods: readonly JudgedPod[],
): WorkloadState {
  const live = pods.filter(({ pod }) => !isOver(pod) && pod.deletedMs === undefined);
  const own = ownState(object, kind, live, pods);
  const [only] = live;
  // A pod without owner is its own workload: what is said of the one is said of the other.
  if (kind === 'Pod' && only) return { ...own, health: only.health };
  const fromPods = kind === 'Job' || kind === 'CronJob' ? podRemarks(live) : podRemarks(live, own.desired);
  if (own.idle !== undefined && fromPods.length === 0)
    return { ...own, health: { status: 'idle', reasons: [own.idle] } };
  return { health: healthOf([...own.remarks, ...fromPods]), desired: own.desired, ready: own.ready };
}

interface OwnState {
  remarks: Remark[];
  desired: number | undefined;
  ready: number | undefined;
  /** Why nothing is wanted of it now. */
  idle?: string;
}

function ownState(
  object: KubernetesObject | undefined,
  kind: string,
  live: readonly JudgedPod[],
  all: readonly JudgedPod[],
): OwnState {
  switch (object?.kind) {
    case 'Deployment':
      return deployment(object);
    case 'StatefulSet':
      return statefulSet(object);
    case 'DaemonSet':
      return daemonSet(object.body, object.generation);
    case 'Job':
      return job(object.body);
    case 'CronJob':
      return cronJob(object.body);
    default:
      return byPods(kind, live, all);
  }
}

function deployment(object: KubernetesObject & { kind: 'Deployment'; body: Deployment }): OwnState {
  const { spec, status } = object.body;
  const desired = spec?.replicas ?? 1;
  const ready = Math.min(desired, status?.readyReplicas ?? 0);
  const progressing = find(status?.conditions, 'Progressing');
  const failure = find(status?.conditions, 'ReplicaFailure');
  const remarks = readyRemarks(desired, ready);
  if (progressing?.status === 'False' && progressing.reason === 'ProgressDeadlineExceeded') {
    remarks.push({ status: 'degraded', reason: `the rollout is stuck${colon(progressing.message)}` });
  }
  if (failure?.status === 'True')
    remarks.push({ status: 'degraded', reason: `pods cannot be created${colon(failure.message)}` });
  remarks.push(
    ...rolloutRemarks(
      desired,
      status?.updatedReplicas ?? 0,
      lags(object.generation, status?.observedGeneration),
      spec?.paused,
    ),
  );
  return withIdle({ remarks, desired, ready });
}

function statefulSet(object: KubernetesObject & { kind: 'StatefulSet'; body: StatefulSet }): OwnState {
  const { spec, status } = object.body;
  const desired = spec?.replicas ?? 1;
  const ready = Math.min(desired, status?.readyReplicas ?? 0);
  const rolling =
    status !== undefined && status.updateRevision !== '' && status.updateRevision !== status.currentRevision;
  const updated = rolling ? (status.updatedReplicas ?? 0) : desired;
  return withIdle({
    remarks: [
      ...readyRemarks(desired, ready),
      ...rolloutRemarks(desired, updated, lags(object.generation, status?.observedGeneration), false),
    ],
    desired,
    ready,
  });
}

function daemonSet({ status }: DaemonSet, generation: number): OwnState {
  const desired = status?.desiredNumberScheduled ?? 0;
  const ready = Math.min(desired, status?.numberReady ?? 0);
  const remarks = readyRemarks(desired, ready);
  const astray = status?.numberMisscheduled ?? 0;
  if (astray > 0) remarks.push({ status: 'ok', reason: `${counted(astray, 'pod')} on nodes where none should run` });
  remarks.push(
    ...rolloutRemarks(
      desired,
      status?.updatedNumberScheduled ?? desired,
      lags(generation, status?.observedGeneration),
      false,
    ),
  );
  return { remarks, desired, ready, ...(desired === 0 ? { idle: 'no node is selected' } : {}) };
}

function job({ spec, status }: Job): OwnState {
  const failed = find(status?.conditions, 'Failed');
  const numbers = { desired: undefined, ready: undefined };
  if (failed?.status === 'True') {
    return {
      ...numbers,
      remarks: [{ status: 'failing', reason: `failed with ${failed.reason}${colon(failed.message)}` }],
    };
  }
  if (find(status?.conditions, 'Complete')?.status === 'True') return { ...numbers, remarks: [], idle: 'completed' };
  if (spec?.suspend) return { ...numbers, remarks: [], idle: 'suspended' };
  const failures = status?.failed ?? 0;
  const remarks: Remark[] =
    failures > 0 ? [{ status: 'degraded', reason: `${counted(failures, 'pod')} failed so far` }] : [];
  return { ...numbers, remarks };
}

function cronJob({ spec, status }: CronJob): OwnState {
  const numbers = { desired: undefined, ready: undefined, remarks: [] };
  if (spec?.suspend) return { ...numbers, idle: 'suspended' };
  const last = status?.lastScheduleTime;
  const success = status?.lastSuccessfulTime;
  if (last !== undefined && success !== undefined && success >= last)
    return { ...numbers, idle: 'the last run succeeded' };
  return numbers;
}

/** Bare pods, and controllers that nobody watches: what their pods say is all there is. */
function byPods(kind: string, live: readonly JudgedPod[], all: readonly JudgedPod[]): OwnState {
  const ready = live.filter(({ pod }) => isReady(pod)).length;
  if (live.length > 0)
    return { remarks: kind === 'Pod' ? [] : readyRemarks(live.length, ready), desired: live.length, ready };
  const failures = all.filter(({ pod, health }) => pod.deletedMs === undefined && health.status === 'failing');
  if (failures.length > 0) return { remarks: podRemarks(failures), desired: 0, ready: 0 };
  return { remarks: [], desired: 0, ready: 0, idle: all.some(({ pod }) => isOver(pod)) ? 'completed' : 'has no pods' };
}

function readyRemarks(desired: number, ready: number): Remark[] {
  if (desired === 0 || ready >= desired) return [];
  if (ready === 0)
    return [
      {
        status: 'failing',
        reason: desired === 1 ? 'its only replica is not ready' : `none of ${desired} replicas is ready`,
      },
    ];
  return [{ status: 'degraded', reason: `${ready} of ${desired} replicas are ready` }];
}

function rolloutRemarks(desired: number, updated: number, unseen: boolean, paused: boolean | undefined): Remark[] {
  if (unseen) return [{ status: 'ok', reason: 'the controller has not acted on the latest change yet' }];
  if (desired === 0 || updated >= desired) return [];
  return [
    {
      status: 'ok',
      reason: `${paused ? 'rollout paused' : 'rollout under way'}: ${updated} of ${desired} replicas are updated`,
    },
  ];
}

function lags(generation: number, observed: number | undefined): boolean {
  return observed !== undefined && observed < generation;
}

function withIdle(state: OwnState): OwnState {
  return state.desired === 0 ? { ...state, idle: 'scaled to zero' } : state;
}

/**
 * What is wrong with the pods, equal words said once. With enough ready replicas (old pods still serve while new ones
 * fail) a failing pod only degrades its workload.
 */
function podRemarks(pods: readonly JudgedPod[], desired?: number): Remark[] {
  const ready = pods.filter(({ pod }) => isReady(pod)).length;
  const worst: HealthStatus = ready > 0 && desired !== undefined ? 'degraded' : 'failing';
  const byReason = new Map<string, { names: string[]; status: HealthStatus }>();
  for (const { pod, health } of pods) {
    if (!isUnwell(health)) continue;
    const reason = health.reasons[0] ?? '';
    const entry = byReason.get(reason) ?? { names: [], status: health.status };
    entry.names.push(pod.name);
    byReason.set(reason, entry);
  }
  return [...byReason].map(([reason, { names, status }]) => ({
    status: status === 'failing' ? worst : status,
    reason: `${listed(names)}: ${reason}`,
  }));
}

function find(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
