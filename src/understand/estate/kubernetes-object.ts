import { z } from 'zod';
import type { ObjectVersion } from '../../model/index.ts';

/**
 * A Kubernetes object read from a stored version: only what the estate needs, checked once here. An object whose shape
 * is not what the API server promises becomes `unreadable` and degrades only itself.
 */
export type KubernetesObject = ObjectIdentity & Metadata & ObjectBody;

interface ObjectIdentity {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
  validFromMs: number;
}

export interface Metadata {
  createdMs: number | undefined;
  deletedMs: number | undefined;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  owner: Owner | undefined;
  generation: number;
  finalizers: readonly string[];
}

/** The controlling owner. */
export interface Owner {
  kind: string;
  name: string;
  uid: string;
}

export type ObjectBody =
  | { kind: 'Pod'; body: Pod }
  | { kind: 'Node'; body: Node }
  | { kind: 'Deployment'; body: Deployment }
  | { kind: 'StatefulSet'; body: StatefulSet }
  | { kind: 'DaemonSet'; body: DaemonSet }
  | { kind: 'ReplicaSet'; body: ReplicaSet }
  | { kind: 'Job'; body: Job }
  | { kind: 'CronJob'; body: CronJob }
  | { kind: 'Service'; body: Service }
  | { kind: 'Namespace'; body: Namespace }
  | { kind: 'Event'; body: KubernetesEvent }
  | { kind: 'other'; apiKind: string }
  | { kind: 'unreadable'; apiKind: string; problem: string };

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const whole = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const time = z
  .string()
  .nullish()
  .transform((value) => (value ? parseMs(value) : undefined));
const texts = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
const part = <T extends z.ZodRawShape>(shape: T) =>
  z
    .object(shape)
    .nullish()
    .transform((value) => value ?? undefined);
/** A quantity; some writers give plain numbers. */
const quantities = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .nullish()
  .transform((value) =>
    Object.fromEntries(Object.entries(value ?? {}).map(([name, amount]) => [name, String(amount)])),
  );

function parseMs(value: string): number | undefined {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: text,
  message: text,
  lastTransitionTime: time,
});
export type Condition = z.infer<typeof condition>;

const metadata = z.object({
  creationTimestamp: time,
  deletionTimestamp: time,
  labels: texts,
  annotations: texts,
  ownerReferences: list(z.object({ kind: z.string(), name: z.string(), uid: text, controller: flag })),
  generation: whole,
  finalizers: list(z.string()),
});

const terminated = part({
  exitCode: z.number(),
  signal: whole,
  reason: text,
  message: text,
  startedAt: time,
  finishedAt: time,
});
const containerState = part({
  waiting: part({ reason: text, message: text }),
  running: part({ startedAt: time }),
  terminated,
});
const containerStatus = z.object({
  name: z.string(),
  ready: flag,
  started: z.boolean().nullish(),
  restartCount: z
    .number()
    .nullish()
    .transform((value) => value ?? 0),
  image: text,
  state: containerState,
  lastState: containerState,
});
export type ContainerStatus = z.infer<typeof containerStatus>;

const container = z.object({
  name: z.string(),
  image: text,
  command: list(z.string()),
  args: list(z.string()),
  restartPolicy: text,
  resources: part({ requests: quantities, limits: quantities }),
  readinessProbe: z.unknown().optional(),
});
export type Container = z.infer<typeof container>;

const pod = z.object({
  spec: z.object({
    nodeName: text,
    hostNetwork: flag,
    restartPolicy: text,
    containers: list(container),
    initContainers: list(container),
    schedulingGates: list(z.object({ name: z.string() })),
    terminationGracePeriodSeconds: whole,
  }),
  status: part({
    phase: text,
    reason: text,
    message: text,
    podIP: text,
    hostIP: text,
    qosClass: text,
    startTime: time,
    conditions: list(condition),
    containerStatuses: list(containerStatus),
    initContainerStatuses: list(containerStatus),
  }),
});
export type Pod = z.infer<typeof pod>;

const node = z.object({
  spec: part({
    unschedulable: flag,
    taints: list(z.object({ key: z.string(), value: text, effect: text })),
    providerID: text,
  }),
  status: part({
    conditions: list(condition),
    allocatable: quantities,
    capacity: quantities,
    addresses: list(z.object({ type: z.string(), address: z.string() })),
    nodeInfo: part({
      kubeletVersion: text,
      kernelVersion: text,
      containerRuntimeVersion: text,
      osImage: text,
      architecture: text,
    }),
  }),
});
export type Node = z.infer<typeof node>;

const template = part({ spec: part({ containers: list(container), initContainers: list(container) }) });

const deployment = z.object({
  spec: part({ replicas: whole, paused: flag, template }),
  status: part({
    observedGeneration: whole,
    replicas: whole,
    readyReplicas: whole,
    updatedReplicas: whole,
    availableReplicas: whole,
    conditions: list(condition),
  }),
});
export type Deployment = z.infer<typeof deployment>;

const statefulSet = z.object({
  spec: part({ replicas: whole, template }),
  status: part({
    observedGeneration: whole,
    replicas: whole,
    readyReplicas: whole,
    updatedReplicas: whole,
    currentRevision: text,
    updateRevision: text,
  }),
});
export type StatefulSet = z.infer<typeof statefulSet>;

const daemonSet = z.object({
  spec: part({ template }),
  status: part({
    observedGeneration: whole,
    desiredNumberScheduled: whole,
    numberReady: whole,
    numberMisscheduled: whole,
    updatedNumberScheduled: whole,
  }),
});
export type DaemonSet = z.infer<typeof daemonSet>;

const replicaSet = z.object({
  spec: part({ replicas: whole, template }),
  status: part({ replicas: whole, readyReplicas: whole, observedGeneration: whole, conditions: list(condition) }),
});
export type ReplicaSet = z.infer<typeof replicaSet>;

const job = z.object({
  spec: part({ suspend: flag, completions: whole, parallelism: whole, template }),
  status: part({
    active: whole,
    succeeded: whole,
    failed: whole,
    startTime: time,
    completionTime: time,
    conditions: list(condition),
  }),
});
export type Job = z.infer<typeof job>;

const cronJob = z.object({
  spec: part({ suspend: flag, schedule: text }),
  status: part({ lastScheduleTime: time, lastSuccessfulTime: time }),
});
export type CronJob = z.infer<typeof cronJob>;

const service = z.object({
  spec: part({
    type: text,
    clusterIP: text,
    externalName: text,
    selector: texts,
    ports: list(z.object({ name: text, port: z.number(), protocol: text })),
  }),
});
export type Service = z.infer<typeof service>;

const namespace = z.object({ status: part({ phase: text }) });
export type Namespace = z.infer<typeof namespace>;

const eventObject = z.object({ kind: text, namespace: text, name: text, uid: text, fieldPath: text });
/** Both event APIs: `involvedObject`, `message`, `count` of core, `regarding`, `note`, `series` of events.k8s.io. */
const kubernetesEvent = z.object({
  involvedObject: eventObject.nullish(),
  regarding: eventObject.nullish(),
  type: text,
  reason: text,
  message: text,
  note: text,
  count: whole,
  deprecatedCount: whole,
  series: part({ count: whole, lastObservedTime: time }),
  source: part({ component: text, host: text }),
  reportingComponent: text,
  reportingController: text,
  firstTimestamp: time,
  lastTimestamp: time,
  eventTime: time,
  deprecatedLastTimestamp: time,
});
export type KubernetesEvent = z.infer<typeof kubernetesEvent>;

const SHAPES = {
  Pod: pod,
  Node: node,
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  ReplicaSet: replicaSet,
  Job: job,
  CronJob: cronJob,
  Service: service,
  Namespace: namespace,
  Event: kubernetesEvent,
};

/** Groups whose kinds have the names above; the same kind name elsewhere is some custom resource. */
const GROUPS = new Set(['', 'apps', 'batch', 'events.k8s.io']);

/** Reads a stored version. Never throws. */
export function parseObject(version: ObjectVersion): KubernetesObject {
  const identity = {
    cluster: version.cluster,
    uid: version.uid,
    namespace: version.namespace,
    name: version.name,
    validFromMs: version.validFromMs,
  };
  try {
    const json: unknown = JSON.parse(version.body);
    const wrapped = z.object({ metadata }).parse(json);
    return { ...identity, ...toMetadata(wrapped.metadata), ...parseBody(version, json) };
  } catch (error) {
    return {
      ...identity,
      ...toMetadata(undefined),
      kind: 'unreadable',
      apiKind: version.kind,
      problem: problemOf(error),
    };
  }
}

function parseBody(version: ObjectVersion, json: unknown): ObjectBody {
  const group = version.apiVersion.includes('/') ? (version.apiVersion.split('/')[0] ?? '') : '';
  if (!GROUPS.has(group) || !Object.hasOwn(SHAPES, version.kind)) return { kind: 'other', apiKind: version.kind };
  const kind = version.kind as keyof typeof SHAPES; // hasOwn above
  const body = SHAPES[kind].parse(json);
  return { kind, body } as ObjectBody; // the shape was picked by that kind
}

function toMetadata(from: z.infer<typeof metadata> | undefined): Metadata {
  const owner = from?.ownerReferences.find((reference) => reference.controller);
  return {
    createdMs: from?.creationTimestamp,
    deletedMs: from?.deletionTimestamp,
    labels: from?.labels ?? {},
    annotations: from?.annotations ?? {},
    owner: owner && { kind: owner.kind, name: owner.name, uid: owner.uid },
    generation: from?.generation ?? 0,
    finalizers: from?.finalizers ?? [],
  };
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [first] = error.issues;
    return `${first?.path.join('.') ?? ''}: ${first?.message ?? 'not as expected'}`;
  }
  return error instanceof Error ? error.message : String(error);
}
