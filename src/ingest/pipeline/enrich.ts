import {
  type Attributes,
  attributeText,
  type LabelSet,
  type LogRecord,
  labelValue,
  type Place,
  type Span,
  UNKNOWN_CLUSTER,
} from '../../model/index.ts';

/**
 * Says where a signal comes from, in whatever spelling its sender used: OpenTelemetry's dotted names, the same with
 * underscores (Loki, Prometheus), bare `pod` and `namespace` (agents), or Fluent Bit's `kubernetes` record.
 */

/** The cluster a series is stored under; `configured` is what the receiver's configuration says, if anything. */
export function seriesCluster(labels: LabelSet, configured: string | undefined): string {
  return labelValue(labels, 'cluster') || labelValue(labels, 'k8s_cluster_name') || configured || UNKNOWN_CLUSTER;
}

export interface Enricher {
  log(record: LogRecord, configured: string | undefined): LogRecord;
  span(span: Span, configured: string | undefined): Span;
}

export function createEnricher(): Enricher {
  /** A resource is one object for all its records, so its place is worked out once. */
  const places = new WeakMap<Attributes, Place>();
  const resourcePlace = (resource: Attributes): Place => {
    let place = places.get(resource);
    if (place === undefined) {
      place = placeOf(resource);
      places.set(resource, place);
    }
    return place;
  };
  const complete = (given: Place, resource: Attributes, attributes: Attributes, configured: string | undefined) => {
    const base = resourcePlace(resource);
    // A collector's own resource says little; the record then carries the pod (k8sobjects, filelog, Fluent Bit).
    const merged =
      base.pod === '' && attributes.size > 0 ? merge(given, base, placeOf(attributes)) : merge(given, base);
    const cluster = merged.cluster || configured || UNKNOWN_CLUSTER;
    return cluster === merged.cluster ? merged : { ...merged, cluster };
  };
  return {
    log: (record, configured) => ({
      ...record,
      place: complete(record.place, record.resource, record.attributes, configured),
    }),
    span: (span, configured) => ({ ...span, place: complete(span.place, span.resource, noRecord, configured) }),
  };
}

const noRecord: Attributes = new Map();

const NAMES = {
  cluster: ['k8s.cluster.name', 'k8s_cluster_name', 'cluster', 'cluster_name'],
  namespace: ['k8s.namespace.name', 'k8s_namespace_name', 'kubernetes_namespace', 'kubernetes_namespace_name', 'namespace', 'namespace_name'],
  pod: ['k8s.pod.name', 'k8s_pod_name', 'kubernetes_pod_name', 'pod', 'pod_name'],
  container: ['k8s.container.name', 'k8s_container_name', 'kubernetes_container_name', 'container', 'container_name'],
  node: ['k8s.node.name', 'k8s_node_name', 'kubernetes_host', 'node', 'node_name', 'host.name', 'host_name'],
  service: ['service.name', 'service_name'],
} as const; // biome-ignore format: a list to read

const WORKLOAD_NAMES = [
  'k8s.deployment.name', 'k8s_deployment_name', 'k8s.statefulset.name', 'k8s_statefulset_name', 'k8s.daemonset.name', 'k8s_daemonset_name',
  'k8s.cronjob.name', 'k8s_cronjob_name', 'k8s.job.name', 'k8s_job_name', 'deployment', 'statefulset', 'daemonset', 'cronjob', 'workload',
] as const; // biome-ignore format: a list to read

/** Where Loki looks for a service's name when nobody gave one. */
const SERVICE_FALLBACKS = [
  'service',
  'app',
  'application',
  'app_name',
  'app_kubernetes_io_name',
  'app.kubernetes.io/name',
];

export function placeOf(attributes: Attributes): Place {
  const record = attributes.get('kubernetes');
  const fluentBit =
    record !== null && typeof record === 'object' && 'kind' in record ? fluentBitPlace(record.entries) : undefined;
  const pod = firstOf(attributes, NAMES.pod) || fluentBit?.pod || '';
  const replicaSet = firstOf(attributes, ['k8s.replicaset.name', 'k8s_replicaset_name', 'replicaset']);
  return {
    cluster: firstOf(attributes, NAMES.cluster),
    namespace: firstOf(attributes, NAMES.namespace) || fluentBit?.namespace || '',
    workload:
      firstOf(attributes, WORKLOAD_NAMES) ||
      (replicaSet && workloadOfReplicaSet(replicaSet)) ||
      fluentBit?.workload ||
      workloadOfPod(pod),
    pod,
    container: firstOf(attributes, NAMES.container) || fluentBit?.container || '',
    node: firstOf(attributes, NAMES.node) || fluentBit?.node || '',
    service: firstOf(attributes, NAMES.service) || firstOf(attributes, SERVICE_FALLBACKS),
  };
}

function fluentBitPlace(record: Attributes): Pick<Place, 'namespace' | 'pod' | 'container' | 'node' | 'workload'> {
  const pod = firstOf(record, ['pod_name']);
  return {
    namespace: firstOf(record, ['namespace_name']),
    pod,
    container: firstOf(record, ['container_name']),
    node: firstOf(record, ['host']),
    workload: ownerOf(record) || workloadOfPod(pod),
  };
}

/** The direct owner as newer Fluent Bit adds it: `ownerReferences: [{kind, name}]`. */
function ownerOf(record: Attributes): string {
  const owners = record.get('ownerReferences');
  const owner = Array.isArray(owners) ? owners[0] : undefined;
  if (owner === null || typeof owner !== 'object' || !('kind' in owner)) return '';
  const name = firstOf(owner.entries, ['name']);
  return owner.entries.get('kind') === 'ReplicaSet' ? workloadOfReplicaSet(name) : name;
}

/**
 * The workload's name inside a pod's name: `api-7d9f8b6c5d-x2x9p` (Deployment), `llama-0` (StatefulSet),
 * `dcgm-exporter-8k2zq` (DaemonSet, Job). A guess by naming habit; an owner that somebody states comes first.
 */
export function workloadOfPod(pod: string): string {
  const deployment = /^(.+)-(?=[a-z0-9]*\d)[a-z0-9]{6,10}-[a-z0-9]{5}$/.exec(pod);
  if (deployment) return deployment[1] ?? '';
  const ordinal = /^(.+)-\d{1,5}$/.exec(pod);
  if (ordinal) return ordinal[1] ?? '';
  const generated = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/.exec(pod);
  const owner = generated?.[1] ?? pod;
  return /^(.+)-\d{8,10}$/.exec(owner)?.[1] ?? owner; // a CronJob's Job ends in its scheduled minute
}

function workloadOfReplicaSet(name: string): string {
  return /^(.+)-[a-z0-9]{6,10}$/.exec(name)?.[1] ?? name;
}

function firstOf(attributes: Attributes, names: readonly string[]): string {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== '' && value !== null) return attributeText(value);
  }
  return '';
}

function merge(given: Place, ...others: Place[]): Place {
  const pick = (part: keyof Place) => {
    const own = given[part];
    if (own !== '' && !(part === 'cluster' && own === UNKNOWN_CLUSTER)) return own;
    return others.find((other) => other[part] !== '')?.[part] ?? '';
  };
  return {
    cluster: pick('cluster'),
    namespace: pick('namespace'),
    workload: pick('workload'),
    pod: pick('pod'),
    container: pick('container'),
    node: pick('node'),
    service: pick('service'),
  };
}
