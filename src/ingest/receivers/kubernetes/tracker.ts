import { createHash } from 'node:crypto';
import type { ObjectVersion } from '../../../model/index.ts';
import type { ApiObject } from './api-object.ts';
import { changedBy, normalise } from './normalise.ts';
import type { Resource } from './resources.ts';
import { firstVersionTime, laterVersionTime } from './version-time.ts';

/** What the store already holds of an object, so that a restart neither writes it anew nor misses that it ended. */
export interface KnownObject {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  validFromMs: number;
}

/**
 * Remembers what was last seen of each object of one resource and says which versions are new. Holds a digest and a
 * stub per object, never the object, so that memory stays small.
 */
export interface Tracker {
  /** A new version if the object differs from what was last seen of it. */
  see(object: ApiObject, arrivalMs: number): ObjectVersion | undefined;
  /** The object's end, if it was there. */
  end(object: ApiObject, arrivalMs: number): ObjectVersion | undefined;
  /** Begins a full list: what `see` does not name until `endList` is gone. */
  beginList(): void;
  endList(arrivalMs: number): ObjectVersion[];
  readonly size: number;
}

interface Tracked {
  digest: string;
  resourceVersion: string;
  validFromMs: number;
  /** When it was last known to be so. */
  seenMs: number;
  list: number;
  namespace: string;
  name: string;
  /** Metadata that tells what it was, for its end. */
  stub: string;
}

/** A live object is written again after this long, since retention drops versions by the day they began. */
const KEYFRAME_MS = 2 * 86_400_000;
/** Versions are not dated further back than this; receivers of older ones may refuse them. */
const OLDEST_MS = 6 * 86_400_000;

export function createTracker(cluster: string, resource: Resource, known: readonly KnownObject[]): Tracker {
  const tracked = new Map<string, Tracked>();
  let list = 0;
  for (const { uid, ...object } of known) {
    tracked.set(uid, {
      digest: '',
      list,
      seenMs: object.validFromMs,
      stub: stubOf(resource, { uid, ...object }),
      ...object,
    });
  }

  const version = (uid: string, of: Tracked, body: string, deleted: boolean): ObjectVersion => ({
    cluster,
    uid,
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    namespace: of.namespace,
    name: of.name,
    resourceVersion: of.resourceVersion,
    validFromMs: of.validFromMs,
    deleted,
    body,
  });

  return {
    see(object, arrivalMs) {
      const { uid, name, namespace, resourceVersion } = object.metadata;
      const before = tracked.get(uid);
      const form = normalise(object, resource);
      const text = JSON.stringify(form);
      const digest = createHash('sha256').update(text).digest('base64').slice(0, 22);
      const sameAsStored = before?.digest === '' && before.resourceVersion === resourceVersion;
      const stale = before !== undefined && arrivalMs - before.validFromMs > KEYFRAME_MS;
      if (before && !stale && (sameAsStored || before.digest === digest)) {
        tracked.set(uid, { ...before, digest, resourceVersion, list, seenMs: arrivalMs });
        return undefined;
      }
      const unchanged = before !== undefined && (sameAsStored || before.digest === digest);
      const sinceMs = before ? Math.max(before.validFromMs, before.seenMs) : undefined;
      const validFromMs = unchanged
        ? arrivalMs
        : sinceMs === undefined
          ? firstVersionTime(object, arrivalMs, arrivalMs - OLDEST_MS)
          : laterVersionTime(object, arrivalMs, sinceMs);
      const now: Tracked = {
        digest,
        resourceVersion,
        validFromMs,
        seenMs: arrivalMs,
        list,
        namespace,
        name,
        stub: stubOf(resource, object.metadata),
      };
      tracked.set(uid, now);
      const actor = unchanged ? undefined : changedBy(object, sinceMs ?? validFromMs);
      return version(
        uid,
        now,
        actor === undefined ? text : JSON.stringify({ ...form, trifocal: { changedBy: actor } }),
        false,
      );
    },
    end(object, arrivalMs) {
      const { uid, resourceVersion } = object.metadata;
      const before = tracked.get(uid);
      if (!before) return undefined;
      tracked.delete(uid);
      if (!resource.ends) return undefined;
      const validFromMs = Math.max(arrivalMs, before.validFromMs + 1);
      return version(
        uid,
        { ...before, resourceVersion, validFromMs },
        JSON.stringify(normalise(object, resource)),
        true,
      );
    },
    beginList() {
      list++;
    },
    endList(arrivalMs) {
      const ended: ObjectVersion[] = [];
      for (const [uid, object] of tracked) {
        if (object.list === list) continue;
        tracked.delete(uid);
        if (!resource.ends) continue;
        ended.push(
          version(uid, { ...object, validFromMs: Math.max(arrivalMs, object.validFromMs + 1) }, object.stub, true),
        );
      }
      return ended;
    },
    get size() {
      return tracked.size;
    },
  };
}

function stubOf({ apiVersion, kind }: Resource, metadata: Partial<ApiObject['metadata']>): string {
  const { name, namespace, uid, creationTimestamp, labels, ownerReferences } = metadata;
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: { name, namespace: namespace || undefined, uid, creationTimestamp, labels, ownerReferences },
  });
}
