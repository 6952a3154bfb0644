import type { Entity, EntityRef } from '../estate/index.ts';
import type { Recipe } from './recipe.ts';
import type { HomeKind } from './signal.ts';

/** A system that emits signals: an engine, an exporter, instrumentation. One file each, one line in `index.ts`. */
export interface SourceSystem {
  name: string;
  /** What an operator does to get its signals, as a sentence. */
  howTo: string;
  tables: readonly SourceTable[];
}

/** Signals of one system whose series identify the same kind of entity in the same way. */
export interface SourceTable {
  /** Of its signals. */
  home: HomeKind;
  /** The series belong to pods: they are selected by the pods of the entity and folded over them. */
  byPods?: true;
  /** Only for these entities (a Deployment's replicas have other names than a StatefulSet's). */
  appliesTo?: (entity: Entity) => boolean;
  /** Ways in which series name their entity, most usual first. The first that answers is used. */
  identities: readonly Identity[];
  signals: Readonly<Record<string, Recipe>>;
  /** For signals that must be switched on: how. Others are covered by the system's `howTo`. */
  enable?: Readonly<Record<string, string>>;
}

/** How labels name an entity, both ways. */
export interface Identity {
  /** Labels that together name one entity of the cluster. */
  labels: readonly string[];
  /** Matchers that select these entities of one cluster, or undefined when they can't be named in this way. */
  matchers(entities: readonly HomeEntity[]): string | undefined;
  /** The entity that a result's labels name. */
  refOf(labels: Readonly<Record<string, string>>, entities: readonly HomeEntity[]): EntityRef | undefined;
}

/** An entity that has series of its own, and names that it had before (pods of earlier revisions) as a pattern. */
export interface HomeEntity {
  entity: Entity;
  /** RE2, already escaped; matches names of earlier members. */
  alsoNamed?: string;
}
