import type { Entity, EntityKind, EstateSnapshot } from '../estate/index.ts';

/** Entities of `kind` that belong to `entity`: what it contains, stands on, uses or is served by; itself if it is of that kind. */
export function membersOf(estate: EstateSnapshot, entity: Entity, kind: EntityKind): readonly Entity[] {
  if (entity.kind === kind) return [entity];
  if (entity.kind === 'cluster') return estate.ofKind(kind).filter((other) => other.cluster === entity.cluster);
  if (entity.kind === 'namespace' && (kind === 'pod' || kind === 'workload')) {
    return estate.ofKind(kind).filter((other) => other.cluster === entity.cluster && other.namespace === entity.name);
  }
  const pods = podsOf(estate, entity);
  const unique = (entities: readonly Entity[]) => [...new Map(entities.map((e) => [e.ref, e])).values()];
  switch (kind) {
    case 'pod':
      return pods;
    case 'gpu':
      if (entity.kind === 'node') return estate.to(entity.ref, 'contains', 'gpu');
      return unique(pods.flatMap((pod) => estate.to(pod.ref, 'uses', 'gpu')));
    case 'node':
      if (entity.kind === 'gpu') return estate.from(entity.ref, 'contains', 'node');
      return unique(pods.flatMap((pod) => estate.to(pod.ref, 'runs-on', 'node')));
    case 'workload':
      if (entity.kind === 'service') return estate.from(entity.ref, 'serves', 'workload');
      return unique(pods.flatMap((pod) => estate.from(pod.ref, 'contains', 'workload')));
    case 'service':
      if (entity.kind === 'workload') return estate.to(entity.ref, 'serves', 'service');
      return unique(
        membersOf(estate, entity, 'workload').flatMap((workload) => estate.to(workload.ref, 'serves', 'service')),
      );
    default:
      return [];
  }
}

function podsOf(estate: EstateSnapshot, entity: Entity): readonly Entity[] {
  switch (entity.kind) {
    case 'pod':
      return [entity];
    case 'workload':
      return estate.to(entity.ref, 'contains', 'pod');
    case 'node':
      return estate.from(entity.ref, 'runs-on', 'pod');
    case 'gpu':
      return estate.from(entity.ref, 'uses', 'pod');
    case 'container':
      return estate.from(entity.ref, 'contains', 'pod');
    case 'namespace':
      return membersOf(estate, entity, 'pod');
    case 'service': {
      const selected = estate.to(entity.ref, 'selects', 'pod');
      if (selected.length > 0) return selected;
      return estate
        .from(entity.ref, 'serves', 'workload')
        .flatMap((workload) => estate.to(workload.ref, 'contains', 'pod'));
    }
    default:
      return [];
  }
}

/** Kubernetes' alphabet for generated names: no vowels, no digits that look like letters (apimachinery, util/rand). */
const GENERATED = '[bcdfghjklmnpqrstvwxz2456789]';

/** RE2 pattern (inside a PromQL string) of names that pods of this workload have or had; undefined when there is no rule. */
export function podNamePattern(workload: Entity): string | undefined {
  const name = workload.name.replaceAll('.', '\\\\.');
  switch (workload.facts.workloadKind) {
    case 'Deployment':
      return `${name}-${GENERATED}{5,10}-${GENERATED}{5}`;
    case 'StatefulSet':
      return `${name}-[0-9]+`;
    case 'DaemonSet':
    case 'Job':
      return `${name}-${GENERATED}{5}`;
    default:
      return undefined;
  }
}
