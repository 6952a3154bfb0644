import { type Change, type ChangeKind, type EntityRef, formatRef, type ObjectVersion } from '../../model/index.ts';
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
    ...templateChanges(then, now, after, make),
    ...scaleChanges(then, now, make),
    ...nodeChanges(then, now, after, make),
    ...selectorChanges(then, now, after, make),
    ...labelChanges(then, now, make),
    ...otherSpecChanges(then, now, after, make),
  ];
}

type Json = Record<string, unknown>;
type Make = (kind: ChangeKind, before: string, after: string, summary: string) => Change;

/** An object seen long after it was made is not news of that time. */
const CREATION_SLACK_MS = 5 * 60_000;

function isCreation(after: ObjectVersion, now: Json): boolean {
  const created = Date.parse(text(at(now, 'metadata', 'creationTimestamp')));
  return Number.isNaN(created) || Math.abs(after.validFromMs - created) <= CREATION_SLACK_MS;
}

function changeMaker(version: ObjectVersion, entity: EntityRef, actor: string | undefined): Make {
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

/** Pod templates of controllers, and pods themselves (only images can change there). */
function templateChanges(then: Json, now: Json, version: ObjectVersion, make: Make): Change[] {
  const path = version.kind === 'Pod' ? ['spec'] : ['spec', 'template', 'spec'];
  const before = object(at(then, ...path));
  const after = object(at(now, ...path));
  if (version.kind === 'Pod' || version.kind === 'ReplicaSet')
    return imageChanges(containers(before), containers(after), make);
  if (same(at(then, 'spec', 'template'), at(now, 'spec', 'template'))) return [];
  const changes = containerChanges(before, after, make);
  if (changes.length > 0 && same(withoutTold(at(then, 'spec', 'template')), withoutTold(at(now, 'spec', 'template'))))
    return changes;
  const parts = differingPaths(withoutTold(at(then, 'spec', 'template')), withoutTold(at(now, 'spec', 'template')));
  if (parts.some((part) => part.includes('kubectl.kubernetes.io/restartedAt'))) {
    return [
      ...changes,
      make(
        'rollout',
        '',
        text(at(now, 'spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt')),
        'restart of all pods was asked for',
      ),
    ];
  }
  return [
    ...changes,
    make(
      'template',
      '',
      parts.join(', '),
      `pod template changed: ${parts.slice(0, 4).join(', ')}${parts.length > 4 ? ' …' : ''}`,
    ),
  ];
}

function containerChanges(before: Json, after: Json, make: Make): Change[] {
  const old = containers(before);
  const renewed = containers(after);
  const changes = imageChanges(old, renewed, make);
  for (const [name, container] of renewed) {
    const former = old.get(name);
    if (!former) changes.push(make('template', '', name, `container ${name} was added`));
    else
      changes.push(
        ...resourceChanges(name, former, container, make),
        ...probeChanges(name, former, container, make),
        ...commandChanges(name, former, container, make),
      );
  }
  for (const name of old.keys())
    if (!renewed.has(name)) changes.push(make('template', name, '', `container ${name} was removed`));
  return changes;
}

function imageChanges(before: ReadonlyMap<string, Json>, after: ReadonlyMap<string, Json>, make: Make): Change[] {
  return [...after].flatMap(([name, container]) => {
    const from = text(before.get(name)?.image);
    const to = text(container.image);
    return before.has(name) && from !== to
      ? [make('image', from, to, `image of ${name}: ${shortImage(from)} → ${shortImage(to)}`)]
      : [];
  });
}

function resourceChanges(name: string, before: Json, after: Json, make: Make): Change[] {
  return ['limits', 'requests'].flatMap((list) => {
    const from = object(at(before, 'resources', list));
    const to = object(at(after, 'resources', list));
    const resources = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return resources
      .filter((resource) => !sameQuantity(optional(from[resource]), optional(to[resource])))
      .map((resource) =>
        make(
          'limits',
          text(from[resource]),
          text(to[resource]),
          `${resource} ${list.slice(0, -1)} of ${name}: ${text(from[resource]) || 'none'} → ${text(to[resource]) || 'none'}`,
        ),
      );
  });
}

function probeChanges(name: string, before: Json, after: Json, make: Make): Change[] {
  return ['readinessProbe', 'livenessProbe', 'startupProbe'].flatMap((probe) => {
    if (same(before[probe], after[probe])) return [];
    const parts = differingPaths(before[probe] ?? {}, after[probe] ?? {});
    const told = parts
      .slice(0, 3)
      .map(
        (part) =>
          `${part} ${text(at(object(before[probe]), ...part.split('.'))) || 'none'} → ${text(at(object(after[probe]), ...part.split('.'))) || 'none'}`,
      );
    return [
      make('probe', brief(before[probe]), brief(after[probe]), `${probe} of ${name}: ${told.join(', ') || 'changed'}`),
    ];
  });
}

function commandChanges(name: string, before: Json, after: Json, make: Make): Change[] {
  const changes: Change[] = [];
  for (const part of ['command', 'args']) {
    if (same(before[part], after[part])) continue;
    const from = list(before[part]).map(text);
    const to = list(after[part]).map(text);
    const gone = from.filter((word) => !to.includes(word));
    const come = to.filter((word) => !from.includes(word));
    changes.push(
      make(
        'configuration',
        gone.join(' '),
        come.join(' '),
        `arguments of ${name}: ${gone.join(' ') || 'nothing'} → ${come.join(' ') || 'nothing'}`,
      ),
    );
  }
  const from = environment(before);
  const to = environment(after);
  const names = [...new Set([...from.keys(), ...to.keys()])]
    .filter((variable) => from.get(variable) !== to.get(variable))
    .sort();
  for (const variable of names) {
    changes.push(
      make(
        'configuration',
        from.get(variable) ?? '',
        to.get(variable) ?? '',
        `environment of ${name}: ${variable} ${from.get(variable) ?? 'none'} → ${to.get(variable) ?? 'none'}`,
      ),
    );
  }
  return changes;
}

function environment(container: Json): Map<string, string> {
  return new Map(
    list(container.env).map((entry) => {
      const { name, value, valueFrom } = object(entry);
      return [text(name), valueFrom === undefined ? text(value) : `from ${brief(valueFrom)}`];
    }),
  );
}

function scaleChanges(then: Json, now: Json, make: Make): Change[] {
  const from = at(then, 'spec', 'replicas');
  const to = at(now, 'spec', 'replicas');
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return [];
  return [make('scale', String(from), String(to), `replicas ${from} → ${to}`)];
}

function nodeChanges(then: Json, now: Json, version: ObjectVersion, make: Make): Change[] {
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

function selectorChanges(then: Json, now: Json, version: ObjectVersion, make: Make): Change[] {
  if (version.kind !== 'Service') return [];
  const from = at(then, 'spec', 'selector');
  const to = at(now, 'spec', 'selector');
  return same(from, to)
    ? []
    : [make('selector', pairs(from), pairs(to), `selector: ${pairs(from) || 'none'} → ${pairs(to) || 'none'}`)];
}

function labelChanges(then: Json, now: Json, make: Make): Change[] {
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
function otherSpecChanges(then: Json, now: Json, version: ObjectVersion, make: Make): Change[] {
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

/** The template without what containerChanges tells, so that the rest can be compared. */
function withoutTold(template: unknown): unknown {
  const copy = object(structuredClone(template));
  const spec = object(copy.spec);
  for (const container of [...list(spec.containers), ...list(spec.initContainers)].map(object)) {
    for (const key of [
      'image',
      'resources',
      'readinessProbe',
      'livenessProbe',
      'startupProbe',
      'command',
      'args',
      'env',
    ])
      delete container[key];
  }
  return copy;
}

function containers(spec: Json): Map<string, Json> {
  return new Map(
    [...list(spec.initContainers), ...list(spec.containers)]
      .map(object)
      .map((container) => [text(container.name), container]),
  );
}

/** Dotted paths of the smallest parts that differ. */
function differingPaths(a: unknown, b: unknown, prefix = ''): string[] {
  if (same(a, b)) return [];
  if (!isObject(a) || !isObject(b)) return [prefix];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .flatMap((key) => differingPaths(a[key], b[key], prefix ? `${prefix}.${key}` : key));
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
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

function at(from: Json, ...path: string[]): unknown {
  let value: unknown = from;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? brief(value) : String(value);
}

function optional(value: unknown): string | undefined {
  return value === undefined ? undefined : text(value);
}

function pairs(value: unknown): string {
  return Object.entries(object(value))
    .map(([key, item]) => `${key}=${text(item)}`)
    .sort()
    .join(',');
}

function brief(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function shorten(value: string): string {
  return value.length > 300 ? `${value.slice(0, 299)}…` : value;
}

/** The last part of an image's path, with its tag: `vllm-openai:v0.11.0`. */
function shortImage(image: string): string {
  return image.replace(/^.*\//, '').replace(/@sha256:([0-9a-f]{8})[0-9a-f]*$/, '@$1');
}

function nameOf(version: ObjectVersion): string {
  return version.namespace === '' ? version.name : `${version.namespace}/${version.name}`;
}

function label(version: ObjectVersion): string {
  return `${version.kind} ${version.name}`;
}
