import { type Change, type EntityRef, formatRef, type ObjectVersion } from '../../model/index.ts';
import { type MakeChange, podChanges, templateChanges } from './diff-template.ts';
import { at, brief, differingPaths, type Json, list, object, optional, pairs, same, text } from './json.ts';
import { sameQuantity } from './quantity.ts';

/** What an object's change means for the estate: the entity it is told of. */
export interface DiffContext {
  /** The entity of an object: the workload of a controller, the pod, the node. Undefined when it is not told of. */
  entityOf(version: ObjectVersion): EntityRef | undefined;
}

/**
 * What changed from one version of an object to the next, in words. Status is not a change; health tells that. `before` is
 * undefined for the first version there is, which is a creation only if the object was made about then.
 */
export function diffObjects(
  before: ObjectVersion | undefined,
  after: ObjectVersion,
  context: DiffContext = { entityOf: defaultEntity },
): Change[] {
  const entity = context.entityOf(after);
  if (entity === undefined || after.kind === 'Event') return [];
  const now = read(after);
  const then = before === undefined || before.deleted ? undefined : read(before);
  const make = changeMaker(after, entity, actorOf(now));
  if (after.deleted) return before?.deleted ? [] : [make('deleted', nameOf(after), '', `${label(after)} was deleted`)];
  if (then === undefined)
    return isCreation(after, now) ? [make('created', '', nameOf(after), `${label(after)} was created`)] : [];
  return [
    ...(after.kind === 'Pod' ? podChanges(then, now, make) : templateChanges(then, now, make)),
    ...scaleChanges(then, now, make),
    ...nodeChanges(then, now, after, make),
    ...selectorChanges(then, now, after, make),
    ...labelChanges(then, now, make),
    ...otherSpecChanges(then, now, after, make),
  ];
}

/** An object seen long after it was made is not news of that time. */
const CREATION_SLACK_MS = 5 * 60_000;

function isCreation(after: ObjectVersion, now: Json): boolean {
  const created = Date.parse(text(at(now, 'metadata', 'creationTimestamp')));
  return Number.isNaN(created) || Math.abs(after.validFromMs - created) <= CREATION_SLACK_MS;
}

function changeMaker(version: ObjectVersion, entity: EntityRef, actor: string | undefined): MakeChange {
  let count = 0;
  return (kind, before, after, summary) => ({
    id: `${version.cluster}.${version.uid || nameOf(version)}.${version.validFromMs}.${count++}`,
    atMs: version.validFromMs,
    entity,
    kind,
    ...(actor === undefined ? {} : { actor }),
    before: shorten(before),
    after: shorten(after),
    summary: shorten(summary),
    group: `${entity}@${version.validFromMs}`,
  });
}

function scaleChanges(then: Json, now: Json, make: MakeChange): Change[] {
  const from = at(then, 'spec', 'replicas');
  const to = at(now, 'spec', 'replicas');
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return [];
  return [make('scale', String(from), String(to), `replicas ${from} → ${to}`)];
}

function nodeChanges(then: Json, now: Json, version: ObjectVersion, make: MakeChange): Change[] {
  if (version.kind !== 'Node') return [];
  const changes: Change[] = [];
  const wasCordoned = at(then, 'spec', 'unschedulable') === true;
  const isCordoned = at(now, 'spec', 'unschedulable') === true;
  if (!wasCordoned && isCordoned)
    changes.push(make('cordon', 'schedulable', 'cordoned', 'cordoned: no new pods are scheduled here'));
  if (wasCordoned && !isCordoned)
    changes.push(make('uncordon', 'cordoned', 'schedulable', 'uncordoned: pods are scheduled here again'));
  const from = taints(then);
  const to = taints(now);
  for (const taint of to) if (!from.includes(taint)) changes.push(make('taint', '', taint, `taint ${taint} was added`));
  for (const taint of from)
    if (!to.includes(taint)) changes.push(make('taint', taint, '', `taint ${taint} was removed`));
  const before = object(at(then, 'status', 'allocatable'));
  const after = object(at(now, 'status', 'allocatable'));
  for (const resource of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const old = optional(before[resource]);
    const renewed = optional(after[resource]);
    if (sameQuantity(old, renewed)) continue;
    changes.push(
      make('allocatable', old ?? '', renewed ?? '', `allocatable ${resource}: ${old ?? 'none'} → ${renewed ?? 'none'}`),
    );
  }
  return changes;
}

/** A cordon brings a taint of its own, which says nothing more. */
function taints(node: Json): string[] {
  return list(at(node, 'spec', 'taints'))
    .map(object)
    .filter((taint) => taint.key !== 'node.kubernetes.io/unschedulable')
    .map((taint) => `${text(taint.key)}${text(taint.value) ? `=${text(taint.value)}` : ''}:${text(taint.effect)}`)
    .sort();
}

function selectorChanges(then: Json, now: Json, version: ObjectVersion, make: MakeChange): Change[] {
  if (version.kind !== 'Service') return [];
  const from = at(then, 'spec', 'selector');
  const to = at(now, 'spec', 'selector');
  return same(from, to)
    ? []
    : [make('selector', pairs(from), pairs(to), `selector: ${pairs(from) || 'none'} → ${pairs(to) || 'none'}`)];
}

function labelChanges(then: Json, now: Json, make: MakeChange): Change[] {
  const from = object(at(then, 'metadata', 'labels'));
  const to = object(at(now, 'metadata', 'labels'));
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((name) => from[name] !== to[name])
    .sort();
  return names.map((name) =>
    make(
      'labels',
      text(from[name]),
      text(to[name]),
      `label ${name}: ${text(from[name]) || 'none'} → ${text(to[name]) || 'none'}`,
    ),
  );
}

/** Parts of the specification that no rule above speaks for. */
function otherSpecChanges(then: Json, now: Json, version: ObjectVersion, make: MakeChange): Change[] {
  if (version.kind === 'Pod' || version.kind === 'ReplicaSet') return [];
  const told = new Set([
    'template',
    'replicas',
    ...(version.kind === 'Node' ? ['unschedulable', 'taints'] : []),
    ...(version.kind === 'Service' ? ['selector'] : []),
  ]);
  const rest = (from: Json) => Object.fromEntries(Object.entries(object(from.spec)).filter(([key]) => !told.has(key)));
  return differingPaths(rest(then), rest(now)).map((path) => {
    const from = brief(at(object(then.spec), ...path.split('.')));
    const to = brief(at(object(now.spec), ...path.split('.')));
    return make('configuration', from, to, `${path}: ${from || 'none'} → ${to || 'none'}`);
  });
}

/** Who did it: the receiver keeps the newest field manager, tools leave annotations. */
function actorOf(now: Json): string | undefined {
  const annotations = object(at(now, 'metadata', 'annotations'));
  const named = text(at(now, 'trifocal', 'changedBy')) || text(annotations['kubernetes.io/change-cause']);
  return named === '' ? undefined : named;
}

/** Controllers and pods stand for their own entity; sets that a controller of the estate owns are not told of. */
function defaultEntity({ cluster, kind, namespace, name }: ObjectVersion): EntityRef | undefined {
  const kindOf = ENTITY_KIND[kind];
  return kindOf && formatRef(kindOf, cluster, kindOf === 'namespace' ? '' : namespace, name);
}

const ENTITY_KIND: Readonly<Record<string, 'workload' | 'pod' | 'node' | 'service' | 'namespace'>> = {
  Deployment: 'workload', StatefulSet: 'workload', DaemonSet: 'workload', Job: 'workload', CronJob: 'workload',
  Pod: 'pod', Node: 'node', Service: 'service', Namespace: 'namespace',
}; // biome-ignore format: a table to read

function read(version: ObjectVersion): Json {
  try {
    return object(JSON.parse(version.body));
  } catch {
    return {};
  }
}

function shorten(value: string): string {
  return value.length > 300 ? `${value.slice(0, 299)}…` : value;
}

function nameOf(version: ObjectVersion): string {
  return version.namespace === '' ? version.name : `${version.namespace}/${version.name}`;
}

function label(version: ObjectVersion): string {
  return `${version.kind} ${version.name}`;
}
