import { type Entity, type EntityRef, type EstateSnapshot, formatTime } from '../../model/index.ts';
import type { EntitySummary } from '../contract/index.ts';

/** An entity as it goes out. A workload may go out under its `model:` alias. */
export function toSummary(estate: EstateSnapshot, entity: Entity, alias?: 'model'): EntitySummary {
  return {
    ref: alias ? modelRef(entity.ref) : entity.ref,
    uid: entity.uid,
    kind: alias ?? entity.kind,
    cluster: entity.cluster,
    namespace: entity.namespace,
    name: entity.name,
    health: { status: entity.health.status, reasons: [...entity.health.reasons] },
    labels: { ...entity.labels },
    facts: Object.fromEntries(
      Object.entries(entity.facts).map(([name, value]) => [name, isList(value) ? [...value] : value]),
    ),
    parents: estate.from(entity.ref, 'contains').map((parent) => parent.ref),
    children: estate.to(entity.ref, 'contains').map((child) => child.ref),
    ...(entity.createdMs === undefined ? {} : { createdAt: formatTime(entity.createdMs) }),
  };
}

function modelRef(workload: EntityRef): EntityRef {
  return workload.replace(/^workload:/, 'model:');
}

function isList(value: Entity['facts'][string] | undefined): value is readonly string[] {
  return Array.isArray(value);
}
