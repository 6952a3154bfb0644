import { type ClusterPlan, defaultEstate } from './blueprint.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { createTimeline } from './core/timeline.ts';
import { type FaultOrder, type GroundTruth, planFault } from './faults.ts';
import { createTargets, type ScrapeTarget } from './pages/targets.ts';
import { createSignalBuffer, type SignalBuffer } from './telemetry/signals.ts';

/** A simulated estate: everything in it follows from plan, seed and start, and from the faults that are switched. */
export interface Estate {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly clusters: readonly Cluster[];
  /** The same array until a pod starts or ends. */
  readonly targets: readonly ScrapeTarget[];
  readonly signals: SignalBuffer;
  /** Lets everything happen up to that time; never goes back. */
  runTo(ms: number): void;
  /** Switches a fault on now; the same fault on the same target twice is one. Throws an Error for an unknown target. */
  startFault(order: FaultOrder): GroundTruth;
  /** Heals every active fault that fits the order. */
  stopFault(order: FaultOrder): void;
  /** What is wrong now. */
  readonly truths: readonly GroundTruth[];
}

interface ActiveFault {
  truth: GroundTruth;
  heal: () => void;
}

export interface EstateOptions {
  seed: number;
  /** When it begins to move. */
  startMs: number;
  /** Its zero of ages, `startMs` when left out: an estate that is looked at again later has the same one. */
  foundedMs?: number;
  /** When releases are rolled out, ascending, in whole seconds; the past ones are done at the start. */
  rolloutsMs?: readonly number[];
  plan?: ClusterPlan[];
}

export function createEstate(options: EstateOptions): Estate {
  const timeline = createTimeline(options.startMs);
  const signals = createSignalBuffer();
  const clusters = (options.plan ?? defaultEstate()).map((plan) =>
    createCluster({
      plan,
      seed: options.seed,
      foundedMs: options.foundedMs ?? options.startMs,
      rolloutsMs: options.rolloutsMs ?? [],
      timeline,
      signals,
    }),
  );
  const targets = followTargets(clusters, () => timeline.now);
  let active: ActiveFault[] = [];
  return {
    get now() {
      return timeline.now;
    },
    clusters,
    get targets() {
      return targets();
    },
    signals,
    runTo: (ms) => timeline.runTo(ms),
    startFault(order) {
      const { truth, start } = planFault(clusters, order, timeline.now);
      const same = active.find((other) => other.truth.fault === truth.fault && other.truth.entity === truth.entity);
      if (same) return same.truth;
      active.push({ truth, heal: start() });
      return truth;
    },
    stopFault(order) {
      const fits = ({ truth }: ActiveFault) =>
        truth.fault === order.fault &&
        (order.gpu === undefined || truth.entity.endsWith(`/${order.gpu}`)) &&
        (order.cluster === undefined || truth.entity.startsWith(`gpu:${order.cluster}/`));
      for (const fault of active.filter(fits)) fault.heal();
      active = active.filter((fault) => !fits(fault));
    },
    get truths() {
      return active.map((fault) => fault.truth);
    },
  };
}

/** The targets of now; one that was there before keeps its page. */
function followTargets(clusters: readonly Cluster[], now: () => number): () => readonly ScrapeTarget[] {
  let targets: readonly ScrapeTarget[] = [];
  let seen = -1;
  return () => {
    const changes = clusters.reduce((sum, { podChanges }) => sum + podChanges, 0);
    if (changes === seen) return targets;
    seen = changes;
    const known = new Map(targets.map((target) => [target.path, target]));
    targets = clusters
      .flatMap((cluster) => createTargets(cluster, now))
      .map((target) => known.get(target.path) ?? target);
    return targets;
  };
}
