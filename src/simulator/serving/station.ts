import type { Random } from '../core/random.ts';
import type { Timeline } from '../core/timeline.ts';
import type { PodRuntime } from '../pod-runtime.ts';

/** A service with a fixed number of workers and a first-come queue: the embedding model, the vector database. */
export interface Station {
  readonly pods: readonly PodRuntime[];
  /** `done` runs when the answer is ready; it gets the pod that served, and when work on it began. */
  serve(done: (pod: PodRuntime, arrivedMs: number) => void): void;
}

export interface StationPlan {
  workersPerPod: number;
  medianMs: number;
  sigma: number;
  bytesIn: number;
  bytesOut: number;
  /** Core seconds per second of service time. */
  cores: number;
}

export function createStation(options: {
  timeline: Timeline;
  random: Random;
  pods: readonly PodRuntime[];
  plan: StationPlan;
}): Station {
  const { timeline, random, pods, plan } = options;
  const queues = pods.map((pod) => ({ pod, busy: 0, waiting: [] as (() => void)[] }));
  let turn = 0;
  return {
    pods,
    serve(done) {
      const queue = queues[turn++ % queues.length];
      if (!queue) throw new Error('a station without pods');
      const arrivedMs = timeline.now;
      const start = () => {
        queue.busy++;
        const ms = random.lognormal(plan.medianMs, plan.sigma);
        queue.pod.container.charge((ms / 1000) * plan.cores, plan.bytesIn, plan.bytesOut);
        timeline.at(timeline.now + ms, () => {
          queue.busy--;
          queue.waiting.shift()?.();
          done(queue.pod, arrivedMs);
        });
      };
      if (queue.busy < plan.workersPerPod) start();
      else queue.waiting.push(start);
    },
  };
}
