import { formatRef } from '../estate/index.ts';
import type { HomeEntity, Identity } from './source.ts';

/** `namespace` and a name: pods and workloads. */
export function namespaced(kind: 'pod' | 'workload', namespaceLabel: string, nameLabel: string): Identity {
  return {
    labels: [namespaceLabel, nameLabel],
    matchers: (entities) => {
      const namespaces = distinct(entities.map(({ entity }) => literal(entity.namespace)));
      return `${oneOf(namespaceLabel, namespaces)},${oneOf(nameLabel, names(entities))}`;
    },
    refOf: (labels, [first]) => {
      const name = labels[nameLabel];
      return name && first ? formatRef(kind, first.entity.cluster, labels[namespaceLabel] ?? '', name) : undefined;
    },
  };
}

/** A label that holds the entity's name (nodes) or uid (GPUs). */
export function named(label: string): Identity {
  return {
    labels: [label],
    matchers: (entities) => oneOf(label, names(entities)),
    refOf: (labels, entities) => entities.find(({ entity }) => entity.name === labels[label])?.entity.ref,
  };
}

/** `instance` is an address of the entity (`fact` names it) or its name, with or without a port. */
export function instanceAt(fact: string): Identity {
  const hosts = ({ entity }: HomeEntity) =>
    [entity.facts[fact], entity.name].filter((h) => typeof h === 'string' && h !== '');
  return {
    labels: ['instance'],
    matchers: (entities) => {
      const all = distinct(entities.flatMap(hosts).map((host) => literal(String(host))));
      return all.length === 0 ? undefined : `instance=~"(${all.join('|')})(:[0-9]+)?"`;
    },
    refOf: (labels, entities) => {
      const host = (labels.instance ?? '').replace(/:\d+$/, '');
      return entities.find((candidate) => hosts(candidate).includes(host))?.entity.ref;
    },
  };
}

function names(entities: readonly HomeEntity[]): string[] {
  const patterns = distinct(entities.flatMap(({ alsoNamed }) => alsoNamed ?? []));
  const covers = patterns.map((pattern) => new RegExp(`^(?:${pattern.replaceAll('\\\\', '\\')})$`));
  const others = entities
    .map(({ entity }) => entity.name)
    .filter((name) => !covers.some((pattern) => pattern.test(name)));
  return [...patterns, ...distinct(others.map(literal))];
}

function oneOf(label: string, patterns: readonly string[]): string {
  const [only = '', ...others] = patterns;
  if (others.length > 0) return `${label}=~"${patterns.join('|')}"`;
  return /^[\w:-]*$/.test(only) ? `${label}="${only}"` : `${label}=~"${only}"`;
}

/** The text as an RE2 pattern inside a PromQL string: backslashes doubled. */
export function literal(text: string): string {
  return text
    .replace(/[\\^$.|?*+()[\]{}"]/g, (c) => (c === '"' ? '\\"' : `\\\\${c === '\\' ? '\\\\' : c}`))
    .replaceAll('\n', '\\n');
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
