import type { AnyObject, KubeEvent, Namespace, Node, Pod, Service, Workload } from './object-types.ts';

/** The resources the simulated API serves, by plural name. */
export const RESOURCES = {
  nodes: { group: '', kind: 'Node', namespaced: false },
  namespaces: { group: '', kind: 'Namespace', namespaced: false },
  pods: { group: '', kind: 'Pod', namespaced: true },
  services: { group: '', kind: 'Service', namespaced: true },
  events: { group: '', kind: 'Event', namespaced: true },
  replicasets: { group: 'apps', kind: 'ReplicaSet', namespaced: true },
  deployments: { group: 'apps', kind: 'Deployment', namespaced: true },
  statefulsets: { group: 'apps', kind: 'StatefulSet', namespaced: true },
  daemonsets: { group: 'apps', kind: 'DaemonSet', namespaced: true },
  jobs: { group: 'batch', kind: 'Job', namespaced: true },
  cronjobs: { group: 'batch', kind: 'CronJob', namespaced: true },
} as const;

export type ResourceName = keyof typeof RESOURCES;

interface ObjectOf {
  nodes: Node;
  namespaces: Namespace;
  pods: Pod;
  services: Service;
  events: KubeEvent;
  replicasets: Workload;
  deployments: Workload;
  statefulsets: Workload;
  daemonsets: Workload;
  /** Served, so that clients may watch them; there are none yet. */
  jobs: never;
  cronjobs: never;
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: ResourceName;
  resourceVersion: number;
  object: AnyObject;
}

/** What etcd is to a cluster: objects, one growing version for all, and a bounded log of changes for watches. */
export interface ObjectStore {
  readonly resourceVersion: number;
  /** The oldest version a watch can still start from. */
  readonly oldestWatchable: number;
  list<R extends ResourceName>(resource: R): ObjectOf[R][];
  get<R extends ResourceName>(resource: R, namespace: string, name: string): ObjectOf[R] | undefined;
  /** Adds or replaces, with a new resource version. */
  put(object: AnyObject): void;
  remove(resource: ResourceName, namespace: string, name: string): void;
  /** Changes after that version, oldest first. */
  since(resourceVersion: number): WatchEvent[];
  /** Called after every change until the returned function is called. */
  subscribe(listener: (event: WatchEvent) => void): () => void;
}

const LOG_LENGTH = 2000;

export function createObjectStore(firstVersion: number): ObjectStore {
  const objects = new Map<ResourceName, Map<string, AnyObject>>();
  const log: WatchEvent[] = [];
  const listeners = new Set<(event: WatchEvent) => void>();
  let version = firstVersion;
  let oldest = firstVersion;

  const tableOf = (resource: ResourceName) => {
    let table = objects.get(resource);
    if (!table) {
      table = new Map();
      objects.set(resource, table);
    }
    return table;
  };
  const record = (event: WatchEvent) => {
    log.push(event);
    if (log.length > LOG_LENGTH) oldest = log.shift()?.resourceVersion ?? oldest;
    for (const listener of listeners) listener(event);
  };

  return {
    get resourceVersion() {
      return version;
    },
    get oldestWatchable() {
      return oldest;
    },
    list: <R extends ResourceName>(resource: R) =>
      [...tableOf(resource).entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object as ObjectOf[R]), // put files every object under the resource of its kind
    get: <R extends ResourceName>(resource: R, namespace: string, name: string) =>
      tableOf(resource).get(keyOf(namespace, name)) as ObjectOf[R] | undefined, // as above
    put(object) {
      const resource = resourceOf(object);
      const key = keyOf(object.metadata.namespace ?? '', object.metadata.name);
      const type = tableOf(resource).has(key) ? 'MODIFIED' : 'ADDED';
      version++;
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
      tableOf(resource).set(key, stored);
      record({ type, resource, resourceVersion: version, object: stored });
    },
    remove(resource, namespace, name) {
      const key = keyOf(namespace, name);
      const object = tableOf(resource).get(key);
      if (!object) return;
      tableOf(resource).delete(key);
      version++;
      const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
      record({ type: 'DELETED', resource, resourceVersion: version, object: last });
    },
    since: (from) => log.filter((event) => event.resourceVersion > from),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function resourceOf(object: AnyObject): ResourceName {
  for (const [name, resource] of Object.entries(RESOURCES)) {
    if (resource.kind === object.kind) return name as ResourceName; // a key of RESOURCES
  }
  throw new Error(`no resource for kind ${object.kind}`);
}
