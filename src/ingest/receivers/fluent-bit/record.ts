import { type Attributes, type AttributeValue, attributeText, type LogRecord, nowhere } from '../../../model/index.ts';
import { escapeInvalidUtf8 } from '../wire/index.ts';
import { eventTimeNs } from './event-time.ts';

/** Turns the records of one request into log records; keeps what says where they come from as one object for all of a container. */
export interface RecordReader {
  /** Takes the map apart. `timeNs` is the time that came beside it, `kubernetes` that part of it, if any did. */
  read(record: Map<string, AttributeValue>, timeNs?: bigint, kubernetes?: UnreadPart): LogRecord;
  /** Whether a record had no time of its own. */
  arrivalTimed(): boolean;
}

/** A part that is the same for many records, so that it is read once: its bytes as text, and its value. */
export interface UnreadPart {
  bytes: string;
  value(): AttributeValue;
}

export function createRecordReader(options: { observedNs: bigint; tag: string }): RecordReader {
  const { observedNs, tag } = options;
  const resources = new Map<string, Attributes>();
  let arrivalTimed = false;

  const resourceOf = (record: Map<string, AttributeValue>, kubernetes: UnreadPart): Attributes => {
    let key = kubernetes.bytes;
    const about = ABOUT.map((name) => {
      const value = take(record, name);
      if (value !== undefined) key += `\0${name}\0${attributeText(value)}`;
      return value;
    });
    let resource = resources.get(key);
    if (resource === undefined) {
      const entries = new Map<string, AttributeValue>();
      ABOUT.forEach((name, i) => {
        const value = about[i];
        if (value !== undefined) entries.set(name, value);
      });
      addKubernetes(entries, kubernetes.value());
      if (tag !== '') entries.set('tag', tag);
      resource = entries;
      resources.set(key, resource);
    }
    return resource;
  };

  return {
    read(record, timeNs, kubernetes) {
      const said = timeNs ?? timeOf(record);
      if (said === undefined) arrivalTimed = true;
      const resource = resourceOf(record, kubernetes ?? readPart(take(record, 'kubernetes')));
      const stream = take(record, 'stream');
      if (stream !== undefined) record.set('log.iostream', stream);
      const body = bodyOf(record);
      return {
        timeNs: said ?? observedNs,
        observedNs,
        severity: 0,
        severityText: levelOf(record),
        body,
        resource,
        attributes: record,
        scope: { name: '', version: '' },
        traceId: '',
        spanId: '',
        flags: 0,
        place: nowhere,
      };
    },
    arrivalTimed: () => arrivalTimed,
  };
}

function readPart(value: AttributeValue = null): UnreadPart {
  return { bytes: attributeText(value), value: () => value };
}

/** What belongs to all records of a source. */
const ABOUT = ['cluster', 'cluster_name', 'k8s.cluster.name', 'k8s_cluster_name', 'service.name', 'service_name'];

/** Names of the `date`, by `json_date_key` and by habit; what the runtime wrote comes last, since `date` is made from it. */
const TIMES = ['date', '@timestamp', 'timestamp', 'time'];

function timeOf(record: Map<string, AttributeValue>): bigint | undefined {
  for (const name of TIMES) {
    const timeNs = eventTimeNs(record.get(name));
    if (timeNs === undefined) continue;
    record.delete(name);
    return timeNs;
  }
  return undefined;
}

const BODIES = ['log', 'message', 'msg', 'MESSAGE', 'short_message'];

/** The line that the program printed; a record without one is kept whole as JSON. */
function bodyOf(record: Map<string, AttributeValue>): string {
  for (const name of BODIES) {
    const value = record.get(name);
    if (value === undefined || value === null) continue;
    record.delete(name);
    return value instanceof Uint8Array ? textOf(value) : attributeText(value);
  }
  return attributeText({ kind: 'map', entries: record });
}

/** Bytes that are no UTF-8 stay in sight, as `\xNN`. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return escapeInvalidUtf8(Buffer.from(buffer, byteOffset, byteLength), { inJson: false }).toString();
}

/** Journald's PRIORITY, which is syslog's. */
const PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

function levelOf(record: Attributes): string {
  for (const name of ['level', 'severity', 'levelname', 'lvl', 'log.level', 'loglevel']) {
    const value = record.get(name);
    if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  }
  return PRIORITIES[Number(record.get('PRIORITY') ?? Number.NaN)] ?? '';
}

/** What Fluent Bit's kubernetes filter knows, by OpenTelemetry's names. */
const KUBERNETES: ReadonlyMap<string, string> = new Map([
  ['pod_name', 'k8s.pod.name'],
  ['namespace_name', 'k8s.namespace.name'],
  ['pod_id', 'k8s.pod.uid'],
  ['pod_ip', 'k8s.pod.ip'],
  ['host', 'k8s.node.name'],
  ['container_name', 'k8s.container.name'],
  ['docker_id', 'container.id'],
  ['container_image', 'container.image.name'],
]);

function addKubernetes(resource: Map<string, AttributeValue>, kubernetes: AttributeValue): void {
  if (!isMap(kubernetes)) {
    if (kubernetes !== null) resource.set('kubernetes', kubernetes);
    return;
  }
  const rest = new Map<string, AttributeValue>();
  for (const [name, value] of kubernetes.entries) {
    const known = KUBERNETES.get(name);
    if (known !== undefined) resource.set(known, value);
    else if (name === 'labels' && isMap(value)) addAll(resource, 'k8s.pod.label.', value.entries);
    else if (name === 'annotations' && isMap(value)) addAll(resource, 'k8s.pod.annotation.', value.entries);
    else rest.set(name, value);
  }
  // Owner references and whatever else there may be: the pipeline reads them where they are.
  if (rest.size > 0) resource.set('kubernetes', { kind: 'map', entries: rest });
}

function addAll(resource: Map<string, AttributeValue>, prefix: string, entries: Attributes): void {
  for (const [name, value] of entries) resource.set(prefix + name, value);
}

function isMap(value: AttributeValue | undefined): value is Extract<AttributeValue, { kind: 'map' }> {
  return value !== undefined && value !== null && typeof value === 'object' && 'kind' in value;
}

function take(record: Map<string, AttributeValue>, name: string): AttributeValue | undefined {
  const value = record.get(name);
  record.delete(name);
  return value;
}
