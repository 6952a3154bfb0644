import { type Scope, scopeAllows } from '../scope.ts';
import type { Entity, Relation, RelationKind } from './entity.ts';
import { bareRef, type EntityKind, type EntityRef } from './reference.ts';

/** The estate at one moment, as far as a scope may see it. Immutable. */
export interface EstateSnapshot {
  atMs: number;
  entities: readonly Entity[];
  relations: readonly Relation[];
  get(ref: EntityRef): Entity | undefined;
  ofKind(kind: EntityKind): readonly Entity[];
  /** Entities that relations of `relation` lead to from `ref`, optionally of one kind. */
  to(ref: EntityRef, relation: RelationKind, kind?: EntityKind): readonly Entity[];
  /** Entities from which relations of `relation` lead to `ref`. */
  from(ref: EntityRef, relation: RelationKind, kind?: EntityKind): readonly Entity[];
  relationsOf(ref: EntityRef): readonly Relation[];
}

/** `model:` aliases resolve to their workload; a request class resolves to the entity that serves it. */
export function createSnapshot(
  atMs: number,
  allEntities: readonly Entity[],
  allRelations: readonly Relation[],
  scope: Scope,
): EstateSnapshot {
  const entities = allEntities.filter((e) => scopeAllows(scope, e.cluster, e.namespace || undefined));
  const byRef = new Map(entities.map((e) => [e.ref, e]));
  const relations = allRelations.filter((r) => byRef.has(r.from) && byRef.has(r.to));
  const outgoing = groupBy(relations, (r) => r.from);
  const incoming = groupBy(relations, (r) => r.to);
  const byKind = groupBy(entities, (e) => e.kind);
  const resolve = (ref: EntityRef) => bareRef(ref).replace(/^model:/, 'workload:');
  const pick = (refs: EntityRef[], kind: EntityKind | undefined) =>
    refs
      .map((ref) => byRef.get(ref))
      .filter((e): e is Entity => e !== undefined && (kind === undefined || e.kind === kind));
  return {
    atMs,
    entities,
    relations,
    get: (ref) => byRef.get(resolve(ref)),
    ofKind: (kind) => byKind.get(kind) ?? [],
    to: (ref, relation, kind) =>
      pick(
        (outgoing.get(resolve(ref)) ?? []).filter((r) => r.kind === relation).map((r) => r.to),
        kind,
      ),
    from: (ref, relation, kind) =>
      pick(
        (incoming.get(resolve(ref)) ?? []).filter((r) => r.kind === relation).map((r) => r.from),
        kind,
      ),
    relationsOf: (ref) => [...(outgoing.get(resolve(ref)) ?? []), ...(incoming.get(resolve(ref)) ?? [])],
  };
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
