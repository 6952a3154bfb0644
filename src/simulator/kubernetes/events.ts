import type { Random } from '../core/random.ts';
import { meta, time } from './metadata.ts';
import type { ObjectStore } from './object-store.ts';
import type { AnyObject, KubeEvent } from './object-types.ts';

/** Events live this long in a cluster (kube-apiserver's `--event-ttl`). */
const TTL_MS = 3_600_000;

export interface EventWords {
  reason: string;
  message: string;
  component: string;
  /** The node of a kubelet. */
  host?: string;
  /** For what happened to a container. */
  fieldPath?: string;
}

/** Puts a core/v1 event of type Normal about that object into the store. */
export function putEvent(store: ObjectStore, random: Random, about: AnyObject, atMs: number, words: EventWords): void {
  const { name, namespace = 'default', uid } = about.metadata;
  const { reason, message, component, host, fieldPath } = words;
  const event: KubeEvent = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: meta(random, `${name}.${random.hex(16)}`, atMs, { namespace }),
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      namespace,
      name,
      uid,
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    reason,
    message,
    type: 'Normal',
    source: { component, ...(host === undefined ? {} : { host }) },
    reportingComponent: component,
    reportingInstance: host ?? '',
    firstTimestamp: time(atMs),
    lastTimestamp: time(atMs),
    count: 1,
  };
  store.put(event);
}

/** Takes out the events whose time is over. */
export function expireEvents(store: ObjectStore, nowMs: number): void {
  for (const { metadata, lastTimestamp } of store.list('events')) {
    if (nowMs - Date.parse(lastTimestamp) > TTL_MS) store.remove('events', metadata.namespace ?? '', metadata.name);
  }
}
