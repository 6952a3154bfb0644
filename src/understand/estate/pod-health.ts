import { type EntityRef, formatRef, type Health } from '../../model/index.ts';
import type { EstateEvent } from './event.ts';
import { exitWords } from './exit-code.ts';
import { healthOf, type Remark } from './health.ts';
import type { Condition, Container, ContainerStatus, KubernetesObject, Pod } from './kubernetes-object.ts';
import { colon, lasting, listed } from './words.ts';

/** A pod may take this long for a step before the step itself is the news. */
const SCHEDULING_GRACE_MS = 60_000;
const CREATING_GRACE_MS = 10 * 60_000;
const UNREADY_GRACE_MS = 60_000;
/** A restart is news for this long. */
const RESTART_NEWS_MS = 15 * 60_000;
const PROBE_NEWS_MS = 5 * 60_000;
/** After its grace period a terminating pod should be gone. */
const TERMINATION_SLACK_MS = 60_000;

export type PodObject = KubernetesObject & { kind: 'Pod'; body: Pod };

/** What a careful reader of `kubectl describe pod` would say at `nowMs`. `events` are recent ones of this pod. */
export function podHealth(pod: PodObject, nowMs: number, events: readonly EstateEvent[] = []): Health {
  const { spec, status } = pod.body;
  if (status === undefined) return { status: 'unknown', reasons: ['the pod has no status yet'] };
  if (pod.deletedMs !== undefined) return terminating(pod, nowMs);
  if (status.phase === 'Succeeded') return { status: 'idle', reasons: ['completed'] };
  if (status.phase === 'Failed') return failed(pod);
  if (status.phase === 'Unknown')
    return { status: 'unknown', reasons: [`the node lost contact with it${colon(status.message)}`] };
  const scheduled = condition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return unscheduled(pod, scheduled, nowMs);
  const remarks = [
    ...initRemarks(pod, nowMs),
    ...spec.containers.flatMap((container) => containerRemarks(pod, container, nowMs)),
  ];
  if (remarks.every((remark) => remark.status === 'ok' || remark.status === 'degraded'))
    remarks.push(...readinessRemarks(pod, nowMs, events));
  return healthOf(remarks);
}

export function podRef(pod: Pick<PodObject, 'cluster' | 'namespace' | 'name'>): EntityRef {
  return formatRef('pod', pod.cluster, pod.namespace, pod.name);
}

/** Whether all of it serves now. */
export function isReady(pod: PodObject): boolean {
  return pod.deletedMs === undefined && condition(pod, 'Ready')?.status === 'True';
}

/** Completed, failed or evicted: kept by Kubernetes for the record, runs no more. */
export function isOver(pod: PodObject): boolean {
  return pod.body.status?.phase === 'Succeeded' || pod.body.status?.phase === 'Failed';
}

/** Restarts of all its containers, init containers left out unless they keep running as sidecars. */
export function restartsOf(pod: PodObject): number {
  const sidecars = new Set(pod.body.spec.initContainers.filter(isSidecar).map((container) => container.name));
  const { containerStatuses = [], initContainerStatuses = [] } = pod.body.status ?? {};
  return [...containerStatuses, ...initContainerStatuses.filter((status) => sidecars.has(status.name))].reduce(
    (sum, status) => sum + status.restartCount,
    0,
  );
}

/** An init container that stays for the pod's life (Kubernetes 1.28 and later). */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

export function condition(pod: PodObject, type: string): Condition | undefined {
  return pod.body.status?.conditions.find((candidate) => candidate.type === type);
}

export function statusOf(pod: PodObject, container: Container): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.body.status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find((status) => status.name === container.name);
}

function terminating(pod: PodObject, nowMs: number): Health {
  // deletionTimestamp lies at the end of the grace period.
  const overdue = nowMs - (pod.deletedMs ?? nowMs);
  if (overdue <= TERMINATION_SLACK_MS) return { status: 'idle', reasons: ['terminating'] };
  const held = pod.finalizers.length > 0 ? `; held by ${listed(pod.finalizers)}` : '';
  return { status: 'degraded', reasons: [`should have ended ${lasting(overdue)} ago but is still terminating${held}`] };
}

function failed(pod: PodObject): Health {
  const { status, spec } = pod.body;
  const reason = status?.reason ?? '';
  const message = status?.message ?? '';
  if (reason === 'Evicted') return { status: 'failing', reasons: [`evicted by the kubelet${colon(message)}`] };
  if (reason === 'DeadlineExceeded')
    return { status: 'failing', reasons: ['ran longer than its activeDeadlineSeconds'] };
  if (reason !== '') return { status: 'failing', reasons: [`failed with ${reason}${colon(message)}`] };
  const ended = spec.containers.flatMap((container) => {
    const end = statusOf(pod, container)?.state?.terminated;
    return end && end.exitCode !== 0
      ? [`container ${container.name} ended with ${exitWords(end.exitCode, end.reason)}`]
      : [];
  });
  return { status: 'failing', reasons: ended.length > 0 ? ended : [`failed${colon(message)}`] };
}

function unscheduled(pod: PodObject, scheduled: Condition, nowMs: number): Health {
  const since = scheduled.lastTransitionTime ?? pod.createdMs ?? nowMs;
  if (scheduled.reason === 'SchedulingGated') {
    const gates = pod.body.spec.schedulingGates.map((gate) => gate.name);
    return {
      status: 'degraded',
      reasons: [`waits for the scheduling gate ${listed(gates)} for ${lasting(nowMs - since)}`],
    };
  }
  return {
    status: nowMs - since > SCHEDULING_GRACE_MS ? 'failing' : 'degraded',
    reasons: [`no node fits for ${lasting(nowMs - since)}${colon(scheduled.message)}`],
  };
}

function initRemarks(pod: PodObject, nowMs: number): Remark[] {
  if (condition(pod, 'Initialized')?.status === 'True') {
    return pod.body.spec.initContainers
      .filter(isSidecar)
      .flatMap((container) => containerRemarks(pod, container, nowMs));
  }
  return pod.body.spec.initContainers.flatMap((container) => {
    const status = statusOf(pod, container);
    if (isSidecar(container)) return containerRemarks(pod, container, nowMs);
    if (status?.state?.running) {
      const since = status.state.running.startedAt ?? nowMs;
      return [
        { status: 'degraded', reason: `init container ${container.name} runs for ${lasting(nowMs - since)}` } as const,
      ];
    }
    const end = status?.state?.terminated;
    if (end && end.exitCode !== 0) {
      return [
        {
          status: 'failing',
          reason: `init container ${container.name} ended with ${exitWords(end.exitCode, end.reason)}`,
        } as const,
      ];
    }
    const waiting = status?.state?.waiting;
    return waiting && waiting.reason !== 'PodInitializing'
      ? waitingRemarks(`init container ${container.name}`, status, pod.createdMs, nowMs)
      : [];
  });
}

function containerRemarks(pod: PodObject, container: Container, nowMs: number): Remark[] {
  const status = statusOf(pod, container);
  if (!status) return [];
  const subject = `container ${container.name}`;
  if (status.state?.waiting) {
    return waitingRemarks(subject, status, condition(pod, 'PodScheduled')?.lastTransitionTime, nowMs);
  }
  const end = status.state?.terminated;
  if (end) {
    if (end.reason === 'ContainerStatusUnknown') return [{ status: 'unknown', reason: `the node lost ${subject}` }];
    return [{ status: 'degraded', reason: `${subject} ended with ${exitWords(end.exitCode, end.reason)}` }];
  }
  const last = status.lastState?.terminated;
  const ago = nowMs - (last?.finishedAt ?? Number.NEGATIVE_INFINITY);
  if (!last || ago > RESTART_NEWS_MS) return [];
  const times = status.restartCount > 1 ? `, restart ${status.restartCount}` : '';
  return [
    {
      status: 'degraded',
      reason: `${subject} restarted ${lasting(ago)} ago after ${exitWords(last.exitCode, last.reason)}${times}`,
    },
  ];
}

/** Reasons that mean something must be changed by somebody before it can start. */
const BLOCKED: Readonly<Record<string, string>> = {
  ErrImagePull: 'cannot pull its image',
  ImagePullBackOff: 'cannot pull its image',
  ErrImageNeverPull: 'needs an image that is not on the node (pull policy Never)',
  InvalidImageName: 'has an image name that cannot be parsed',
  ImageInspectError: 'has an image that the runtime cannot read',
  RegistryUnavailable: 'cannot reach its registry',
  SignatureValidationFailed: 'has an image whose signature is refused',
  CreateContainerConfigError: 'needs a ConfigMap, Secret or key that is missing',
  CreateContainerError: 'is refused by the runtime',
  RunContainerError: 'is created but cannot start',
  ContainerCannotRun: 'is created but cannot start',
  StartError: 'is created but cannot start',
  PostStartHookError: 'fails in its postStart hook',
  PreStartHookError: 'fails in its preStart hook',
};

function waitingRemarks(
  subject: string,
  status: ContainerStatus | undefined,
  since: number | undefined,
  nowMs: number,
): Remark[] {
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  if (reason === 'CrashLoopBackOff') {
    const last = status?.lastState?.terminated;
    const how = last
      ? `${exitWords(last.exitCode, last.reason)}, ${lasting(nowMs - (last.finishedAt ?? nowMs))} ago`
      : message;
    return [
      { status: 'failing', reason: `${subject} crash-loops${colon(how)}; ${status?.restartCount ?? 0} restarts` },
    ];
  }
  const blocked = Object.hasOwn(BLOCKED, reason) ? BLOCKED[reason] : undefined;
  if (blocked !== undefined)
    return [{ status: 'failing', reason: `${subject} ${blocked} (${reason})${colon(message)}` }];
  if (reason === 'PodInitializing') return [];
  const age = since === undefined ? undefined : nowMs - since;
  if (reason === 'ContainerCreating' || reason === '') {
    const long = age !== undefined && age > CREATING_GRACE_MS;
    return [
      {
        status: long ? 'failing' : 'degraded',
        reason: `${subject} is being created${age === undefined ? '' : ` for ${lasting(age)}`}${colon(message)}`,
      },
    ];
  }
  return [{ status: 'failing', reason: `${subject} waits with ${reason}${colon(message)}` }];
}

function readinessRemarks(pod: PodObject, nowMs: number, events: readonly EstateEvent[]): Remark[] {
  const ready = condition(pod, 'Ready');
  if (!ready || ready.status === 'True') return [];
  if (ready.status === 'Unknown')
    return [{ status: 'unknown', reason: `its node stopped reporting${colon(ready.message)}` }];
  const age = nowMs - (ready.lastTransitionTime ?? nowMs);
  const unready = pod.body.spec.containers.filter((container) => {
    const status = statusOf(pod, container);
    return status?.state?.running !== undefined && !status.ready;
  });
  const remarks: Remark[] = unready.map((container) => {
    const status = statusOf(pod, container);
    if (status?.started === false) {
      const since = nowMs - (status.state?.running?.startedAt ?? nowMs);
      return {
        status: 'degraded',
        reason: `container ${container.name} is starting for ${lasting(since)}: its startup probe has not passed`,
      };
    }
    const probe = probeWords(container.name, events, nowMs);
    return {
      status: age > UNREADY_GRACE_MS ? 'failing' : 'degraded',
      reason: `container ${container.name} is not ready for ${lasting(age)}${colon(probe)}`,
    };
  });
  if (remarks.length > 0) return remarks;
  const gates = (pod.body.status?.conditions ?? [])
    .filter((c) => c.type.includes('/') && c.status !== 'True')
    .map((c) => c.type);
  if (gates.length > 0) return [{ status: 'degraded', reason: `waits for the readiness gate ${listed(gates)}` }];
  return [];
}

function probeWords(container: string, events: readonly EstateEvent[], nowMs: number): string {
  const probe = events.find(
    (event) =>
      event.reason === 'Unhealthy' &&
      nowMs - event.atMs <= PROBE_NEWS_MS &&
      (event.container === '' || event.container === container),
  );
  return probe?.message.trim() ?? '';
}
