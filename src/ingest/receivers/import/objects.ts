import { type ObjectVersion, parseTime } from '../../../model/index.ts';
import { DecodeError } from '../../errors.ts';
import { type AcceptedTimes, explainTime, judgeTime, timeWindow } from '../../pipeline/index.ts';
import type { Rejection } from '../../sink.ts';
import { createTurns } from '../../turns.ts';
import { normalise, resourceOf, toApiObject } from '../kubernetes/index.ts';
import { openJson, withoutBom } from '../wire/index.ts';

export interface DecodedObjects {
  /** About half a megabyte each, as they are asked for. Throws DecodeError at a place where the body is no JSON. */
  parts: AsyncIterable<ObjectVersion[]>;
  /** What was none in the parts read so far. */
  invalid(): Rejection[];
  /** Their time was told relative to the arrival, or not at all. */
  arrivalTimed: boolean;
}

/** Characters of bodies in a part: one batch must not hold the thread for long. */
const PART = 512 * 1024;
/** The API server keeps 1.5 MiB at most; indentation makes it a few times that. */
const LARGEST_OBJECT = 4 * 1024 * 1024;

/**
 * Kubernetes objects as they were at a moment, `{at, objects}`, in turns of the event loop. Kinds that a watch would not read
 * (Secrets first of all) are refused and never stored. Throws DecodeError when the body is no such thing.
 */
export async function decodeObjects(
  bytes: Buffer,
  { nowMs, accept, cluster }: { nowMs: number; accept: AcceptedTimes; cluster: string },
): Promise<DecodedObjects> {
  const turns = createTurns();
  const body = withoutBom(bytes);
  const text = await openJson(body, turns);
  const members = text.members(text.root);
  const objects = members.get('objects');
  if (objects === undefined) throw new DecodeError('expected {"at": TIME, "objects": [OBJECT, …]}');
  const elements = text.elements(objects);
  const given = members.get('at');
  const at = given === undefined ? undefined : String(await text.value(given));
  const validFromMs = at === undefined ? nowMs : parseTime(at, nowMs);
  if (validFromMs === undefined) throw new DecodeError(`at: ${JSON.stringify(at?.slice(0, 100))} is not a time`);

  const window = timeWindow(accept, nowMs, 'objects');
  const misplaced = judgeTime(validFromMs, window);
  const invalid = new Map<Fault, Rejection>();
  const refuse = (fault: Fault, example: string) => {
    const found = invalid.get(fault);
    const reason = fault === 'time' && misplaced !== undefined ? misplaced : 'invalid';
    if (found) found.count++;
    else invalid.set(fault, { signal: 'objects', reason, count: 1, example });
  };
  async function* parts(of: { validFromMs: number; cluster: string }) {
    let versions: ObjectVersion[] = [];
    let size = 0;
    for (const { start, end } of elements) {
      if (turns.over()) await turns.next();
      const read = end - start > LARGEST_OBJECT ? TOO_LARGE : readObject(body.toString('utf8', start, end));
      if ('fault' in read) {
        refuse(read.fault, read.example);
        continue;
      }
      if (misplaced !== undefined) {
        refuse('time', `${read.kind} ${read.name} ${explainTime(misplaced, of.validFromMs, window)}`);
        continue;
      }
      versions.push({ ...read, ...of });
      size += read.body.length;
      if (size < PART) continue;
      yield versions;
      versions = [];
      size = 0;
    }
    yield versions;
  }
  return {
    parts: parts({ validFromMs, cluster }),
    invalid: () => [...invalid.values()],
    arrivalTimed: at === undefined || at.startsWith('now'),
  };
}

type Fault = 'size' | 'syntax' | 'form' | 'kind' | 'time';

const TOO_LARGE = { fault: 'size', example: `an object has more than ${LARGEST_OBJECT} bytes` } as const;

function readObject(text: string): Omit<ObjectVersion, 'validFromMs' | 'cluster'> | { fault: Fault; example: string } {
  // Numbers become doubles as in a watch, so that the same object makes the same version.
  const value = parse(text);
  if (value === undefined) return { fault: 'syntax', example: 'an object is no JSON' };
  const object = toApiObject(value);
  if (object === undefined) return { fault: 'form', example: `${kindOf(value)} has no name or uid` };
  const resource = resourceOf(object);
  const { name, namespace, uid, resourceVersion } = object.metadata;
  if (resource === undefined)
    return { fault: 'kind', example: `${kindOf(value)} ${name} is of a kind that is not kept` };
  const { kind, apiVersion } = resource;
  const body = JSON.stringify(normalise(object, resource));
  return { uid, apiVersion, kind, namespace, name, resourceVersion, deleted: false, body };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of an object that may be anything; its content stays out of sight. */
function kindOf(value: unknown): string {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  return typeof kind === 'string' ? kind.slice(0, 100) : 'an object';
}
