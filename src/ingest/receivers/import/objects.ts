import { type ObjectVersion, parseTime } from '../../../model/index.ts';
import { DecodeError } from '../../errors.ts';
import type { Rejection } from '../../sink.ts';
import { normalise, resourceOf, toApiObject } from '../kubernetes/index.ts';

/**
 * Kubernetes objects as they were at a moment: `{at, objects}`. Kinds that a watch would not read (Secrets first of all) are
 * refused and never stored. Throws DecodeError when the body is no such thing.
 */
export function decodeObjects(
  body: Buffer,
  { nowMs, cluster }: { nowMs: number; cluster: string },
): { versions: ObjectVersion[]; invalid: Rejection[] } {
  const { at, objects } = parseBody(body);
  const validFromMs = at === undefined ? nowMs : parseTime(String(at), nowMs);
  if (validFromMs === undefined) throw new DecodeError(`at: ${JSON.stringify(at)} is not a time`);
  const versions: ObjectVersion[] = [];
  const invalid = new Map<string, Rejection>();
  for (const value of objects) {
    const object = toApiObject(value);
    const resource = object && resourceOf(object);
    if (!object || !resource) {
      const example = object
        ? `${kindOf(value)} ${object.metadata.name} is of a kind that is not kept`
        : `${kindOf(value)} has no name or uid`;
      const key = object ? 'kind' : 'form';
      const found = invalid.get(key);
      if (found) found.count++;
      else invalid.set(key, { signal: 'objects', reason: 'invalid', count: 1, example });
      continue;
    }
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const { kind, apiVersion } = resource;
    const content = JSON.stringify(normalise(object, resource));
    versions.push({
      cluster,
      uid,
      apiVersion,
      kind,
      namespace,
      name,
      resourceVersion,
      validFromMs,
      deleted: false,
      body: content,
    });
  }
  return { versions, invalid: [...invalid.values()] };
}

function parseBody(body: Buffer): { at: string | number | undefined; objects: unknown[] } {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new DecodeError(`the body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== 'object' || value === null || !('objects' in value) || !Array.isArray(value.objects)) {
    throw new DecodeError('expected {"at": TIME, "objects": [OBJECT, …]}');
  }
  const at = 'at' in value ? value.at : undefined;
  if (at !== undefined && typeof at !== 'string' && typeof at !== 'number')
    throw new DecodeError('at: expected a time');
  return { at, objects: value.objects };
}

/** Of an object that may be anything; its content stays out of sight. */
function kindOf(value: unknown): string {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  return typeof kind === 'string' ? kind.slice(0, 100) : 'an object';
}
