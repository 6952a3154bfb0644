import { type ClusterPlan, revisionOf } from './blueprint.ts';
import { type Random, randomStream, uuid } from './core/random.ts';
import type { Timeline } from './core/timeline.ts';
import { Container } from './hardware/container.ts';
import { Gpu } from './hardware/gpu.ts';
import { H100 } from './hardware/h100.ts';
import { Machine } from './hardware/machine.ts';
import { buildObjects } from './kubernetes/build-objects.ts';
import type { PlacedPod } from './kubernetes/build-workload.ts';
import { expireEvents } from './kubernetes/events.ts';
import { createObjectStore, type ObjectStore } from './kubernetes/object-store.ts';
import { planRollout } from './kubernetes/rollout.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { type CallerCounts, createCallerCounts } from './serving/caller-counts.ts';
import { Engine } from './serving/engine.ts';
import { FrontDoor } from './serving/front-door.ts';
import { createHttpMetrics, type HttpMetrics } from './serving/http-metrics.ts';
import type { Replica } from './serving/router.ts';
import { createStation } from './serving/station.ts';
import { startTraffic } from './serving/traffic.ts';
import { startEngineLog } from './telemetry/engine-log.ts';
import type { SignalBuffer } from './telemetry/signals.ts';

/** One simulated cluster in motion. */
export interface Cluster {
  plan: ClusterPlan;
  store: ObjectStore;
  machines: readonly Machine[];
  pods: readonly PodRuntime[];
  /** Grows whenever a pod starts or ends. */
  readonly podChanges: number;
  /** Replicas by the model's workload. */
  replicas: ReadonlyMap<string, readonly Replica[]>;
  /** Which pod holds a card; absent for a free one. */
  ownerOf: ReadonlyMap<Gpu, PodRuntime>;
  http: ReadonlyMap<PodRuntime, HttpMetrics>;
  callers: ReadonlyMap<PodRuntime, CallerCounts>;
  frontDoor: FrontDoor;
}

const TICK_MS = 1000;
const HEARTBEAT_MS = 300_000;
const EXPIRE_EVERY_MS = 60_000;
const FIRST_VERSION = 180_000;
/** More than ever change in a second, so that versions grow over a restart too. */
const VERSIONS_PER_SECOND = 20;

export function createCluster(options: {
  plan: ClusterPlan;
  seed: number;
  foundedMs: number;
  rolloutsMs: readonly number[];
  timeline: Timeline;
  signals: SignalBuffer;
}): Cluster {
  const { plan, seed, timeline, signals, foundedMs } = options;
  const ageMs = timeline.now - foundedMs;
  /** What there is, is always the same; what happens to it is not the same again after a restart. */
  const stream = (name: string): Random => randomStream(seed, `${plan.name}/${name}`);
  const happening = (name: string): Random => stream(ageMs === 0 ? name : `${name} at ${ageMs}`);
  const store = createObjectStore(FIRST_VERSION + Math.max(0, Math.floor(ageMs / 1000)) * VERSIONS_PER_SECOND);
  const placed = buildObjects(plan, store, stream('objects'), { foundedMs, nowMs: timeline.now });
  const machines = buildMachines(plan, stream('machines'), foundedMs);
  const pods = placed.map((pod) => runPod(plan, pod, machines));
  const free = new Map(machines.map((machine) => [machine, [...machine.gpus]]));
  const ownerOf = new Map<Gpu, PodRuntime>();
  const replicas = new Map<string, Replica[]>();
  for (const { workload, profile } of plan.models) {
    replicas.set(
      workload,
      podsOf(pods, workload).map((pod) => {
        const gpus = free.get(pod.machine)?.splice(0, profile.tensorParallel) ?? [];
        if (gpus.length < profile.tensorParallel)
          throw new Error(`${pod.machine.plan.name} has too few GPUs for ${workload}`);
        for (const gpu of gpus) {
          ownerOf.set(gpu, pod);
          gpu.usedMiB = Math.round(H100.memoryMiB * profile.gpuMemoryUtilization) + 910;
        }
        return { pod, engine: new Engine({ timeline, model: profile, gpus }) };
      }),
    );
  }
  const http = new Map(pods.map((pod) => [pod, createHttpMetrics()]));
  const callers = new Map(podsOf(pods, 'gateway').map((pod) => [pod, createCallerCounts()]));
  const ragApi = podsOf(pods, 'rag-api');
  const frontDoor = new FrontDoor({
    timeline,
    random: happening('requests'),
    signals,
    services: {
      gateway: podsOf(pods, 'gateway'),
      ragApi,
      embedding: createStation({
        timeline,
        random: happening('embedding'),
        pods: podsOf(pods, 'embedding'),
        plan: { workersPerPod: 4, medianMs: 16, sigma: 0.3, bytesIn: 1800, bytesOut: 9000, cores: 1 },
      }),
      vectorDatabase: createStation({
        timeline,
        random: happening('qdrant'),
        pods: podsOf(pods, 'qdrant'),
        plan: { workersPerPod: 8, medianMs: 7, sigma: 0.45, bytesIn: 9000, bytesOut: 26_000, cores: 1 },
      }),
      replicas,
      http,
      callers,
    },
  });
  const allReplicas = [...replicas.values()].flat();
  startTicks(timeline, machines, allReplicas);
  startHeartbeats(timeline, store);
  startEngineLog(timeline, signals, allReplicas);
  for (const [i, traffic] of plan.traffic.entries()) {
    startTraffic({
      timeline,
      random: happening(`traffic ${i}`),
      plan: traffic,
      send: (request) => frontDoor.send(request),
    });
  }
  const cluster = { plan, store, machines, pods, podChanges: 0, replicas, ownerOf, http, callers, frontDoor };
  startRollouts({ timeline, cluster, rolloutsMs: options.rolloutsMs, stream, inRotation: { 'rag-api': ragApi } });
  startEventExpiry(timeline, store);
  return cluster;
}

function buildMachines(plan: ClusterPlan, random: Random, foundedMs: number): Machine[] {
  return plan.nodes.map((node) => {
    const gpus = Array.from({ length: node.gpus }, (_, index) => {
      const bus = [0x1b, 0x43, 0x9d, 0xc3, 0x4e, 0x61, 0xab, 0xd1][index] ?? index;
      return new Gpu({
        uuid: `GPU-${uuid(random)}`,
        index,
        pciBusId: `00000000:${bus.toString(16).toUpperCase().padStart(2, '0')}:00.0`,
        inletC: plan.inletC + index * 0.8 + random.next(),
      });
    });
    return new Machine({ plan: node, gpus, bootMs: foundedMs - 41 * 86_400_000 - random.below(86_400_000), random });
  });
}

function runPod(plan: ClusterPlan, placed: PlacedPod, machines: readonly Machine[]): PodRuntime {
  const { pod, plan: workload } = placed;
  const machine = machines.find((candidate) => candidate.plan.name === placed.node);
  if (!machine) throw new Error(`${workload.name} is placed on ${placed.node}, which does not exist`);
  const container = new Container({
    limitCores: workload.container.cpuLimit,
    idleCores: workload.container.idleCores,
    restingMemory: workload.container.restingMemory,
  });
  machine.containers.push(container);
  return {
    container,
    machine,
    port: workload.container.port,
    startedMs: Date.parse(pod.status.containerStatuses[0]?.state.running.startedAt ?? ''),
    source: {
      cluster: plan.name,
      namespace: workload.namespace,
      pod: pod.metadata.name,
      podUid: pod.metadata.uid,
      podIp: pod.status.podIP,
      container: workload.container.name,
      node: placed.node,
      workload: workload.name,
      workloadKind: workload.kind,
      image: workload.container.image,
    },
  };
}

/** Rolls out the releases that the plan names; those whose time has passed are there already when this returns. */
function startRollouts(options: {
  timeline: Timeline;
  cluster: Cluster & { pods: PodRuntime[]; podChanges: number; http: Map<PodRuntime, HttpMetrics> };
  rolloutsMs: readonly number[];
  stream: (name: string) => Random;
  /** By workload, the pods that get requests. */
  inRotation: Readonly<Record<string, PodRuntime[]>>;
}): void {
  const { timeline, cluster, stream } = options;
  const { plan, store, machines, pods, http } = cluster;
  const workload = plan.workloads.find(({ name }) => name === plan.releasing);
  if (!workload) return;
  const rotation = options.inRotation[workload.name] ?? [];
  const named = (name: string) => pods.findIndex(({ source }) => source.pod === name);
  const steps = options.rolloutsMs.flatMap((startMs, i) =>
    planRollout({
      plan,
      workload: revisionOf(workload, i + 2),
      revision: i + 2,
      startMs,
      store,
      random: stream(`revision ${i + 2} of ${workload.name}`),
      onStarted(placed) {
        const pod = runPod(plan, placed, machines);
        pods.push(pod);
        http.set(pod, createHttpMetrics());
        cluster.podChanges++;
      },
      onSwapped(added, left) {
        const pod = pods[named(added)];
        const at = rotation.findIndex(({ source }) => source.pod === left);
        if (pod && at >= 0) rotation[at] = pod;
      },
      onGone(name) {
        const [pod] = pods.splice(named(name), 1);
        if (pod) pod.machine.end(pod.container);
        cluster.podChanges++;
      },
    }),
  );
  for (const { atMs, run } of steps) {
    if (atMs <= timeline.now) run();
    else timeline.at(atMs, run);
  }
}

function startEventExpiry(timeline: Timeline, store: ObjectStore): void {
  const expire = () => {
    expireEvents(store, timeline.now);
    timeline.at(timeline.now + EXPIRE_EVERY_MS, expire);
  };
  expire();
}

function podsOf(pods: readonly PodRuntime[], workload: string): PodRuntime[] {
  return pods.filter((pod) => pod.source.workload === workload);
}

/** Once a second the hardware answers for what ran on it. */
function startTicks(timeline: Timeline, machines: readonly Machine[], replicas: readonly Replica[]): void {
  const tick = () => {
    for (const { engine, pod } of replicas) {
      engine.settle();
      // The engine core and each worker poll shared memory: a core each while anything runs.
      pod.container.idleCores = engine.running > 0 ? 1 + engine.model.tensorParallel : 0.05;
    }
    for (const machine of machines) {
      for (const gpu of machine.gpus) gpu.tick(TICK_MS / 1000);
      machine.tick(TICK_MS / 1000);
    }
    timeline.at(timeline.now + TICK_MS, tick);
  };
  timeline.at(timeline.now + TICK_MS, tick);
}

/** Kubelets renew their node's status every five minutes even when nothing changed. */
function startHeartbeats(timeline: Timeline, store: ObjectStore): void {
  const beat = () => {
    const lastHeartbeatTime = `${new Date(timeline.now).toISOString().slice(0, 19)}Z`;
    for (const node of store.list('nodes')) {
      const conditions = node.status.conditions.map((condition) => ({ ...condition, lastHeartbeatTime }));
      store.put({ ...node, status: { ...node.status, conditions } });
    }
    timeline.at(timeline.now + HEARTBEAT_MS, beat);
  };
  timeline.at(timeline.now + HEARTBEAT_MS, beat);
}
