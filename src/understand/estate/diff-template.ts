import type { Change, ChangeKind } from '../../model/index.ts';
import { at, brief, differingPaths, type Json, list, object, optional, same, text } from './json.ts';
import { sameQuantity } from './quantity.ts';

/** Makes a change of the version that is compared. */
export type MakeChange = (kind: ChangeKind, before: string, after: string, summary: string) => Change;

/** Changes of a controller's pod template. */
export function templateChanges(then: Json, now: Json, make: MakeChange): Change[] {
  const before = object(at(then, 'spec', 'template'));
  const after = object(at(now, 'spec', 'template'));
  if (same(before, after)) return [];
  const changes = containerChanges(object(before.spec), object(after.spec), make);
  const restartedAt = text(at(after, ...RESTARTED_AT));
  if (restartedAt !== '' && restartedAt !== text(at(before, ...RESTARTED_AT))) {
    changes.push(make('rollout', '', restartedAt, 'a restart of all pods was asked for'));
  }
  const parts = differingPaths(untold(before, after), untold(after, before));
  if (parts.length > 0) {
    const more = parts.length > 4 ? ' …' : '';
    changes.push(
      make('template', '', parts.join(', '), `pod template changed: ${parts.slice(0, 4).join(', ')}${more}`),
    );
  }
  return changes;
}

/** Of a pod only images can change. */
export function podChanges(then: Json, now: Json, make: MakeChange): Change[] {
  return imageChanges(containers(object(then.spec)), containers(object(now.spec)), make);
}

const RESTARTED_AT = ['metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];

function containerChanges(before: Json, after: Json, make: MakeChange): Change[] {
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

function imageChanges(before: ReadonlyMap<string, Json>, after: ReadonlyMap<string, Json>, make: MakeChange): Change[] {
  return [...after].flatMap(([name, container]) => {
    const from = text(before.get(name)?.image);
    const to = text(container.image);
    return before.has(name) && from !== to
      ? [make('image', from, to, `image of ${name}: ${shortImage(from)} → ${shortImage(to)}`)]
      : [];
  });
}

function resourceChanges(name: string, before: Json, after: Json, make: MakeChange): Change[] {
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

function probeChanges(name: string, before: Json, after: Json, make: MakeChange): Change[] {
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

function commandChanges(name: string, before: Json, after: Json, make: MakeChange): Change[] {
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

const TOLD = new Set([
  'name',
  'image',
  'resources',
  'readinessProbe',
  'livenessProbe',
  'startupProbe',
  'command',
  'args',
  'env',
]);

/** The template without what the rules above tell, so that the rest can be compared; containers by name, those in both. */
function untold(template: Json, other: Json): Json {
  const { containers: _, initContainers: __, ...spec } = object(template.spec);
  const { annotations, ...metadata } = object(template.metadata);
  const theirs = containers(object(other.spec));
  const without = (from: Json, keys: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => !keys.has(key)));
  const shared = [...containers(object(template.spec))].filter(([name]) => theirs.has(name));
  return {
    metadata: { ...metadata, annotations: without(object(annotations), new Set(RESTARTED_AT)) },
    spec,
    containers: Object.fromEntries(shared.map(([name, container]) => [name, without(container, TOLD)])),
  };
}

function containers(spec: Json): Map<string, Json> {
  return new Map(
    [...list(spec.initContainers), ...list(spec.containers)]
      .map(object)
      .map((container) => [text(container.name), container]),
  );
}

/** The last part of an image's path, with its tag: `vllm-openai:v0.11.0`. */
function shortImage(image: string): string {
  return image.replace(/^.*\//, '').replace(/@sha256:([0-9a-f]{8})[0-9a-f]*$/, '@$1');
}
