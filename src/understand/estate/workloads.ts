import type { Entity, Relation } from '../../model/index.ts';
import { requestedGpus } from './gpus.ts';
import type { Estate, ModelSeries } from './input.ts';
import { groupBy, type Lookup, namespaced } from './lookup.ts';
import { modelServing } from './models.ts';
import { isOver, podRef } from './pod-health.ts';
import { type JudgedPod, workloadState } from './workload-health.ts';

export function buildWorkloads(lookup: Lookup, judged: readonly JudgedPod[], models: readonly ModelSeries[]): Estate {
  const owned = judged.flatMap((one) => {
    const found = lookup.ownership.workloadOf(one.pod);
    return found ? [{ ...one, ...found }] : [];
  });
  const podsOf = groupBy(owned, ({ workload }) => workload.ref);
  const seriesOf = groupBy(models, (series) => `${series.cluster} ${series.namespace} ${series.pod}`);
  const entities = lookup.ownership.workloads.map((workload): Entity => {
    const members = podsOf.get(workload.ref) ?? [];
    const { health, desired, ready } = workloadState(workload.object, workload.kind, members);
    const running = members.filter(({ pod }) => !isOver(pod)).map(({ pod }) => pod);
    const serving = modelServing(
      running,
      running.flatMap((pod) => seriesOf.get(`${pod.cluster} ${pod.namespace} ${pod.name}`) ?? []),
    );
    const images = new Set(running.flatMap((pod) => pod.body.spec.containers.map((container) => container.image)));
    const gpus = running.reduce((sum, pod) => sum + requestedGpus(pod), 0);
    return {
      ...namespaced('workload', {
        ...workload,
        uid: workload.object?.uid ?? '',
        createdMs: workload.object?.createdMs,
      }),
      ref: workload.ref,
      health,
      labels: workload.object?.labels ?? {},
      facts: {
        workloadKind: workload.kind,
        ...(desired === undefined ? {} : { desired }),
        ...(ready === undefined ? {} : { ready }),
        images: [...images].sort(),
        ...(gpus > 0 ? { gpus } : {}),
        ...(serving ? { engine: serving.engine, model: serving.models } : {}),
        ...(serving?.version ? { engineVersion: serving.version } : {}),
      },
    };
  });
  const relations = owned.map(
    ({ pod, workload, confidence }): Relation => ({
      kind: 'contains',
      from: workload.ref,
      to: podRef(pod),
      confidence,
    }),
  );
  return { entities, relations };
}
