/** Every kind of entity that has a reference of its own. */
export const ENTITY_KINDS = [
  'cluster', 'node', 'vm', 'machine', 'gpu', 'mig', 'link', 'namespace', 'quota', 'workload', 'pod', 'container', 'model',
  'service', 'route', 'dependency', 'volume', 'storage', 'autoscaler', 'ingress', 'exporter', 'collector', 'scrapejob', 'change',
] as const; // biome-ignore format: a list to read

export type EntityKind = (typeof ENTITY_KINDS)[number];

/** `kind:cluster/namespace/name` with percent-encoded parts, `-` for none; may carry `?attribute=value` of a request class. */
export type EntityRef = string;

export interface EntityRefParts {
  kind: EntityKind;
  cluster: string;
  /** Empty when the entity is not in a namespace. */
  namespace: string;
  /** May contain slashes where a kind has inner structure, e.g. a container: `pod/container`. */
  name: string;
  /** Attributes of a request class, e.g. `tenant=acme`; empty for an entity itself. */
  attributes: Readonly<Record<string, string>>;
}

export function formatRef(kind: EntityKind, cluster: string, namespace: string, name: string): EntityRef {
  return `${kind}:${encodePart(cluster)}/${encodePart(namespace)}/${encodePart(name)}`;
}

/** The parts of a reference, or undefined when it is malformed or of an unknown kind. */
export function parseRef(ref: string): EntityRefParts | undefined {
  const [path = '', query] = ref.split('?', 2);
  const match = /^([a-z]+):([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
  const kind = ENTITY_KINDS.find((known) => known === match?.[1]);
  if (!match || !kind) return undefined;
  const [cluster, namespace, name] = match.slice(2).map(decodePart);
  if (cluster === undefined || namespace === undefined || name === undefined) return undefined;
  return { kind, cluster, namespace, name, attributes: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

/** The same entity without a request class. */
export function bareRef(ref: EntityRef): EntityRef {
  return ref.split('?', 1)[0] ?? ref;
}

function encodePart(text: string): string {
  if (text === '') return '-';
  return text === '-' ? '%2D' : encodeURIComponent(text);
}

function decodePart(text: string): string | undefined {
  if (text === '-') return '';
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
