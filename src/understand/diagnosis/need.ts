import type { EntityKind, EntityRef, MissingSignal, Stat } from '../../model/index.ts';
import type { Selector } from './focus.ts';
import type { Reading } from './reading.ts';

export type Needs = Readonly<Record<string, Need>>;

export interface Need {
  signal: string;
  of: Selector;
  by?: EntityKind;
  stat?: Stat;
  /** Not named as unseen when absent: it sharpens an answer that stands without it. */
  optional?: true;
}

/** What a need brought: a series each, by entity. */
export interface Readings {
  all: readonly Reading[];
  of(entity: EntityRef): Reading | undefined;
  /** Without `by`: the only one. */
  one: Reading | undefined;
  missing: readonly MissingSignal[];
}
