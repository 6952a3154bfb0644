import { type Entity, type EntityRef, type EstateSnapshot, membersOf } from '../../model/index.ts';

/** One part of the estate that is looked into: the subject itself, or something it calls. */
export interface Focus {
  /** Whose symptom it is: the workload, or a single pod, or a service without one. */
  self: Entity;
  workload: Entity | undefined;
  pods: readonly Entity[];
  nodes: readonly Entity[];
  /** Used by the pods. */
  gpus: readonly Entity[];
  /** Every GPU of the nodes: the used ones and their peers. */
  nodeGpus: readonly Entity[];
  services: readonly Entity[];
  /** What it calls: workloads where known, else services and dependencies. */
  callees: readonly Entity[];
  /** From here to the investigation's subject, both included. */
  path: readonly EntityRef[];
}

export type Selector = 'self' | 'workload' | 'pods' | 'nodes' | 'node-gpus' | 'services';

/** What surrounds `entity`, or undefined when it is of a kind that serves nothing. */
export function focusOn(estate: EstateSnapshot, entity: Entity, above: readonly EntityRef[] = []): Focus | undefined {
  const workload = membersOf(estate, entity, 'workload')[0];
  const self = entity.kind === 'pod' ? entity : (workload ?? entity);
  if (!['workload', 'pod', 'service', 'dependency'].includes(self.kind)) return undefined;
  const pods = workload ? membersOf(estate, workload, 'pod') : membersOf(estate, self, 'pod');
  const nodes = unique(pods.flatMap((pod) => membersOf(estate, pod, 'node')));
  const services = entity.kind === 'service' ? [entity] : membersOf(estate, self, 'service');
  return {
    self,
    workload,
    pods,
    nodes,
    gpus: unique(pods.flatMap((pod) => membersOf(estate, pod, 'gpu'))),
    nodeGpus: unique(nodes.flatMap((node) => membersOf(estate, node, 'gpu'))),
    services,
    callees: calleesOf(estate, unique([self, ...(workload ? [workload] : []), ...services])),
    path: [self.ref, ...above.filter((ref) => ref !== self.ref)],
  };
}

export function selected(focus: Focus, selector: Selector): readonly Entity[] {
  switch (selector) {
    case 'self':
      return [focus.self];
    case 'workload':
      return [focus.workload ?? focus.self];
    case 'node-gpus':
      return focus.nodeGpus;
    default:
      return focus[selector];
  }
}

function calleesOf(estate: EstateSnapshot, callers: readonly Entity[]): Entity[] {
  const called = callers.flatMap((caller) =>
    (['service', 'workload', 'dependency'] as const).flatMap((kind) => estate.to(caller.ref, 'calls', kind)),
  );
  const known = called.map((callee) => membersOf(estate, callee, 'workload')[0] ?? callee);
  return unique(known).filter((callee) => callers.every((caller) => caller.ref !== callee.ref));
}

function unique(entities: readonly Entity[]): Entity[] {
  return [...new Map(entities.map((entity) => [entity.ref, entity])).values()];
}
