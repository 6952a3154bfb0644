import {
  type Attributes,
  type AttributeValue,
  attributeText,
  type LabelSet,
  type LogRecord,
  labelValue,
  type Place,
  type Span,
  UNKNOWN_CLUSTER,
} from '../../model/index.ts';
import { placeOfLogPath } from './container-log-path.ts';
import { type Ids, idsInAttributes, idsInLine, REQUEST_ID, severityOfLine, severityOfWord } from './lines/index.ts';

/**
 * Says where a signal comes from, in whatever spelling its sender used: OpenTelemetry's dotted names, the same with
 * underscores (Loki, Prometheus), bare `pod` and `namespace` (agents), Fluent Bit's and Vector's `kubernetes` record, or
 * the path of a container's log file. Gives logs the severity and ids that their text states, and logs and spans their
 * `request_id`, by which they are joined.
 */

/** The cluster that a series names itself; empty when it names none. */
export function statedCluster(labels: LabelSet): string {
  return labelValue(labels, 'cluster') || labelValue(labels, 'k8s_cluster_name');
}

export interface Enricher {
  log(record: LogRecord, configured: string | undefined): LogRecord;
  span(span: Span, configured: string | undefined): Span;
}

export function createEnricher(): Enricher {
  /** A resource is one object for all its records, so what it says is worked out once. */
  const known = new WeakMap<Attributes, { place: Place; ids: Ids; placed: Map<string, Place> }>();
  const resourceSays = (resource: Attributes) => {
    let says = known.get(resource);
    if (says === undefined) {
      says = { place: placeOf(resource), ids: idsInAttributes(resource), placed: new Map() };
      known.set(resource, says);
    }
    return says;
  };
  /** The place by the resource alone: one object for all its records. */
  const shared = (given: Place, resource: Attributes, configured: string | undefined): Place => {
    const { place, placed } = resourceSays(resource);
    if (!isNowhere(given)) return inCluster(merge(given, place), configured);
    const key = configured ?? '';
    let complete = placed.get(key);
    if (complete === undefined) {
      complete = inCluster(place, configured);
      placed.set(key, complete);
    }
    return complete;
  };
  /** A collector's own resource says little; the record then carries the pod (k8sobjects, filelog, Fluent Bit). */
  const logPlace = (record: LogRecord, configured: string | undefined): Place => {
    const base = resourceSays(record.resource).place;
    if (base.pod !== '') return shared(record.place, record.resource, configured);
    const own = record.attributes.size > 0 ? placeOf(record.attributes) : undefined;
    if (own !== undefined && !isNowhere(own)) return inCluster(merge(record.place, base, own), configured);
    const written = placeInLine(record.body);
    if (written !== undefined) return inCluster(merge(record.place, base, written), configured);
    return shared(record.place, record.resource, configured);
  };

  return {
    log(record, configured) {
      const { attributes, body } = record;
      const ofResource = resourceSays(record.resource).ids;
      const ofRecord = attributes.size > 0 ? idsInAttributes(attributes) : noIds;
      let traceId = record.traceId || ofRecord.traceId || ofResource.traceId;
      let spanId = record.spanId || ofRecord.spanId || ofResource.spanId;
      let requestId = ofRecord.requestId || ofResource.requestId;
      if (traceId === '' || requestId === '') {
        const inLine = idsInLine(body, { trace: traceId === '', request: requestId === '' });
        if (inLine !== undefined) {
          traceId ||= inLine.traceId;
          spanId ||= inLine.spanId;
          requestId ||= inLine.requestId;
        }
      }
      return {
        ...record,
        severity: record.severity || severityOfWord(record.severityText) || levelOf(attributes) || severityOfLine(body),
        attributes: withRequestId(attributes, requestId),
        traceId,
        spanId,
        place: logPlace(record, configured),
      };
    },
    span(span, configured) {
      const { attributes, resource } = span;
      const requestId = attributes.size > 0 ? idsInAttributes(attributes).requestId : '';
      return {
        ...span,
        attributes: withRequestId(attributes, requestId),
        place: shared(span.place, resource, configured),
      };
    },
  };
}

const noIds: Ids = { traceId: '', spanId: '', requestId: '' };

/** Attributes in which loggers and collectors' parsers leave the level that they found. */
const LEVELS = ['level', 'severity', 'detected_level', 'log.level', 'levelname'];

function levelOf(attributes: Attributes): number {
  if (attributes.size === 0) return 0;
  for (const name of LEVELS) {
    const value = attributes.get(name);
    const severity = typeof value === 'string' || typeof value === 'bigint' ? severityOfWord(String(value)) : 0;
    if (severity !== 0) return severity;
  }
  return 0;
}

function withRequestId(attributes: Attributes, requestId: string): Attributes {
  if (requestId === '' || attributes.has(REQUEST_ID)) return attributes;
  return new Map(attributes).set(REQUEST_ID, requestId);
}

function isNowhere(place: Place): boolean {
  const { cluster, namespace, workload, pod, container, node, service } = place;
  if (cluster !== '' && cluster !== UNKNOWN_CLUSTER) return false;
  return namespace === '' && workload === '' && pod === '' && container === '' && node === '' && service === '';
}

function inCluster(place: Place, configured: string | undefined): Place {
  const said = place.cluster === UNKNOWN_CLUSTER ? '' : place.cluster;
  const cluster = said || configured || UNKNOWN_CLUSTER;
  return cluster === place.cluster ? place : { ...place, cluster };
}

const NAMES = {
  cluster: ['k8s.cluster.name', 'k8s_cluster_name', 'cluster', 'cluster_name'],
  namespace: ['k8s.namespace.name', 'k8s_namespace_name', 'kubernetes_namespace', 'kubernetes_namespace_name', 'kubernetes_pod_namespace', 'namespace', 'namespace_name', 'pod_namespace'],
  workload: [
    'k8s.deployment.name', 'k8s_deployment_name', 'k8s.statefulset.name', 'k8s_statefulset_name', 'k8s.daemonset.name', 'k8s_daemonset_name',
    'k8s.cronjob.name', 'k8s_cronjob_name', 'k8s.job.name', 'k8s_job_name', 'deployment', 'statefulset', 'daemonset', 'cronjob', 'workload',
  ],
  replicaSet: ['k8s.replicaset.name', 'k8s_replicaset_name', 'replicaset'],
  pod: ['k8s.pod.name', 'k8s_pod_name', 'kubernetes_pod_name', 'pod', 'pod_name'],
  container: ['k8s.container.name', 'k8s_container_name', 'kubernetes_container_name', 'container', 'container_name'],
  node: ['k8s.node.name', 'k8s_node_name', 'kubernetes_host', 'kubernetes_pod_node_name', 'node', 'node_name', 'nodename', 'host.name', 'host_name', 'hostname'],
  // After the two names come those where Loki looks for a service's name when nobody gave one.
  service: ['service.name', 'service_name', 'service', 'app', 'application', 'app_name', 'app_kubernetes_io_name', 'app.kubernetes.io/name'],
  path: ['log.file.path', 'log_file_path', 'filename', 'file', 'file.path', 'path', 'tag'],
  record: ['kubernetes'],
} as const; // biome-ignore format: a list to read

type Part = keyof typeof NAMES;

/** What an attribute's name stands for, and how much it counts: the lower, the more. */
const PART_OF: ReadonlyMap<string, { part: Part; rank: number }> = new Map(
  // the keys are those of NAMES
  (Object.keys(NAMES) as Part[]).flatMap((part) => NAMES[part].map((name, rank) => [name, { part, rank }] as const)),
);

export function placeOf(attributes: Attributes): Place {
  const found = new Map<Part, { value: AttributeValue; rank: number }>();
  for (const [name, value] of attributes) {
    const names = PART_OF.get(name);
    if (names === undefined || value === '' || value === null) continue;
    const { part, rank } = names;
    if (part === 'path' && (typeof value !== 'string' || placeOfLogPath(value) === undefined)) continue;
    const before = found.get(part);
    if (before === undefined || rank < before.rank) found.set(part, { value, rank });
  }
  if (found.size === 0) return empty;
  const text = (part: Part) => {
    const value = found.get(part)?.value;
    return value === undefined ? '' : attributeText(value);
  };
  const path = placeOfLogPath(text('path'));
  const record = found.get('record')?.value;
  const agent = isMap(record) ? agentPlace(record.entries) : undefined;
  const pod = text('pod') || agent?.pod || path?.pod || '';
  const replicaSet = text('replicaSet');
  return {
    cluster: text('cluster'),
    namespace: text('namespace') || agent?.namespace || path?.namespace || '',
    workload:
      text('workload') || (replicaSet && workloadOfReplicaSet(replicaSet)) || agent?.workload || workloadOfPod(pod),
    pod,
    container: text('container') || agent?.container || path?.container || '',
    node: text('node') || agent?.node || '',
    service: text('service') || agent?.service || '',
  };
}

const empty: Place = { cluster: '', namespace: '', workload: '', pod: '', container: '', node: '', service: '' };

/** The `kubernetes` record as Fluent Bit's filter, Vector's source or Filebeat write it. */
function agentPlace(record: Attributes): Omit<Place, 'cluster'> {
  const pod = firstOf(record, ['pod_name']);
  const labels = record.get('labels') ?? record.get('pod_labels');
  return {
    namespace: firstOf(record, ['namespace_name', 'pod_namespace']),
    pod,
    container: firstOf(record, ['container_name']),
    node: firstOf(record, ['host', 'pod_node_name']),
    workload: ownerOf(record) || workloadOfPod(pod),
    service: isMap(labels) ? firstOf(labels.entries, ['app.kubernetes.io/name', 'app', 'k8s-app']) : '',
  };
}

/** The direct owner as newer Fluent Bit (`ownerReferences: [{kind, name}]`) and Vector (`pod_owner: "ReplicaSet/x"`) add it. */
function ownerOf(record: Attributes): string {
  const [vectorKind = '', vectorName = ''] = firstOf(record, ['pod_owner']).split('/', 2);
  if (vectorName !== '') return vectorKind === 'ReplicaSet' ? workloadOfReplicaSet(vectorName) : vectorName;
  const owners = record.get('ownerReferences');
  const owner = Array.isArray(owners) ? owners[0] : undefined;
  if (!isMap(owner)) return '';
  const name = firstOf(owner.entries, ['name']);
  return owner.entries.get('kind') === 'ReplicaSet' ? workloadOfReplicaSet(name) : name;
}

function isMap(value: AttributeValue | undefined): value is Extract<AttributeValue, { kind: 'map' }> {
  return value !== undefined && value !== null && typeof value === 'object' && 'kind' in value;
}

/** A whole record of an agent longer than this is not read for its place. */
const MAX_RECORD = 64 * 1024;

/** Where a line comes from that is an agent's whole record as JSON (Fluent Bit's and Vector's Loki outputs by default). */
function placeInLine(line: string): Place | undefined {
  if (line.charCodeAt(0) !== 0x7b || line.length > MAX_RECORD) return undefined;
  if (!line.includes('"kubernetes":') && !line.includes('/var/log/')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // not JSON after all: it says no place
  }
  const record = fromJson(value);
  const place = isMap(record) ? placeOf(record.entries) : empty;
  return isNowhere(place) ? undefined : place;
}

function fromJson(value: unknown): AttributeValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map(fromJson);
  return { kind: 'map', entries: new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)])) };
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
