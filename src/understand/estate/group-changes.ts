import type { Change, EntityRef } from '../../model/index.ts';

/** Changes of one workload that follow each other within this time are steps of one act. */
const STEP_MS = 3 * 60_000;

/**
 * Gives the changes of one act (a template, then the pods that come and go with it) one group, named after the first of
 * them. `workloadOf` tells the workload of a pod. Returns them newest first.
 */
export function groupChanges(
  changes: readonly Change[],
  workloadOf: (pod: EntityRef) => EntityRef | undefined,
): Change[] {
  const open = new Map<EntityRef, { group: string; lastMs: number }>();
  const grouped = [...changes]
    .sort((a, b) => a.atMs - b.atMs)
    .map((change) => {
      const owner = workloadOf(change.entity) ?? change.entity;
      const act = open.get(owner);
      const group = act && change.atMs - act.lastMs <= STEP_MS ? act.group : change.group;
      open.set(owner, { group, lastMs: change.atMs });
      return { ...change, group };
    });
  return grouped.reverse();
}
