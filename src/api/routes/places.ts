import {
  type Entity,
  type EntityRef,
  type EstateSnapshot,
  formatRef,
  type Place,
  parseRef,
  type Scope,
  type TimeRange,
} from '../../model/index.ts';
import type { LogPlace } from '../../query/index.ts';
import type { EstateReader } from '../../understand/estate/index.ts';
import { ApiError } from '../errors.ts';

/** What a request asks signals of. */
export interface PlacesQuery {
  entity?: EntityRef | undefined;
  cluster?: string | undefined;
  range: TimeRange;
}

/**
 * Where to look for the signals of a request: everywhere when it names neither entity nor cluster (undefined), nowhere
 * when it names an entity of another cluster.
 */
export async function placesFor(
  { entity, cluster, range }: PlacesQuery,
  estate: EstateReader,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<LogPlace[] | undefined> {
  if (entity === undefined) return cluster === undefined ? undefined : [{ cluster }];
  const ends = await Promise.all([range.from, range.to].map((ms) => estate.at(ms, scope, signal)));
  return placesOf(ends, entity).filter((place) => cluster === undefined || place.cluster === cluster);
}

/**
 * Where signals of an entity come from: its own columns, and the pods that belonged to it at either end of the range. An
 * entity that neither snapshot knows is taken at its word, so that what a deleted pod left can still be read.
 */
function placesOf(snapshots: readonly EstateSnapshot[], ref: EntityRef): LogPlace[] {
  const parts = parseRef(ref.replace(/^model:/, 'workload:'));
  if (!parts)
    throw new ApiError('bad_request', `entity: ${JSON.stringify(ref)} is no entity reference`, {
      path: 'entity',
      hint: 'kind:cluster/namespace/name',
    });
  const { cluster, namespace, name } = parts;
  switch (parts.kind) {
    case 'cluster':
      return [{ cluster }];
    case 'namespace':
      return [{ cluster, namespace: name }];
    case 'pod':
      return [{ cluster, namespace, pods: [name] }];
    case 'container': {
      const slash = name.indexOf('/');
      return [{ cluster, namespace, pods: [name.slice(0, slash)], container: name.slice(slash + 1) }];
    }
    case 'workload':
      return [{ cluster, namespace, workload: name }, ...podPlaces(snapshots, ref)];
    case 'node':
      return [{ cluster, node: name }, ...podPlaces(snapshots, ref)];
    case 'service':
      return [...(namespace === '' ? [{ cluster, service: name }] : []), ...podPlaces(snapshots, ref)];
    default:
      return podPlaces(snapshots, ref);
  }
}

/** The most telling entity that a signal's place names. */
export function entityOfPlace({ cluster, namespace, workload, pod, node, service }: Place): EntityRef {
  if (pod !== '') return formatRef('pod', cluster, namespace, pod);
  if (service !== '') return formatRef('service', cluster, '', service);
  if (workload !== '') return formatRef('workload', cluster, namespace, workload);
  if (node !== '') return formatRef('node', cluster, '', node);
  if (namespace !== '') return formatRef('namespace', cluster, '', namespace);
  return formatRef('cluster', cluster, '', cluster);
}

function podPlaces(snapshots: readonly EstateSnapshot[], ref: EntityRef): LogPlace[] {
  const names = new Map<string, { cluster: string; namespace: string; pods: Set<string> }>();
  for (const snapshot of snapshots) {
    for (const pod of podsOf(snapshot, ref)) {
      const key = `${pod.cluster} ${pod.namespace}`;
      const place = names.get(key) ?? { cluster: pod.cluster, namespace: pod.namespace, pods: new Set() };
      place.pods.add(pod.name);
      names.set(key, place);
    }
  }
  return [...names.values()].map(({ pods, ...place }) => ({ ...place, pods: [...pods] }));
}

function podsOf(snapshot: EstateSnapshot, ref: EntityRef): readonly Entity[] {
  const entity = snapshot.get(ref);
  switch (entity?.kind) {
    case 'workload':
      return snapshot.to(entity.ref, 'contains', 'pod');
    case 'node':
      return snapshot.from(entity.ref, 'runs-on', 'pod');
    case 'gpu':
      return snapshot.from(entity.ref, 'uses', 'pod');
    case 'service': {
      const serving = snapshot.from(entity.ref, 'serves', 'workload');
      return [
        ...snapshot.to(entity.ref, 'selects', 'pod'),
        ...serving.flatMap((workload) => snapshot.to(workload.ref, 'contains', 'pod')),
      ];
    }
    default:
      return [];
  }
}
