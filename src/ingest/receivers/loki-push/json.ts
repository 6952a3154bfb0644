import { type AttributeValue, noAttributes } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import {
  asObject,
  DecodeError,
  escapeInvalidUtf8,
  inside,
  type Json,
  type JsonObject,
  kindOf,
  readJson,
} from '../wire/index.ts';
import {
  defaultStreamLimits,
  type Entry,
  judgeMetadata,
  type PushRequest,
  refuse,
  type Stream,
  toRecord,
  toStream,
} from './stream.ts';

/**
 * Decodes `{"streams":[{"stream":{…},"values":[["<ns>","line",{…}]]}]}`. Throws DecodeError where the frame is something
 * else; a stream or an entry that is none is refused alone. Lines that are not UTF-8 keep their bytes as `\xNN`.
 */
export async function decodeJsonPush(
  body: Buffer,
  observedNs: bigint,
  limits = defaultStreamLimits,
): Promise<PushRequest> {
  const turns = createTurns();
  const clean = escapeInvalidUtf8(body, { inJson: true });
  const request: PushRequest = { logs: [], refused: [], escaped: clean === body ? 0 : 1 };
  const known = new Map<string, Stream>();
  const streams = arrayOf(asObject(await readJson(clean, turns)), 'streams');
  for (let i = 0; i < streams.length; i++) {
    const place = `streams[${i}]`;
    const parts = attempt(place, () => {
      const object = asObject(streams[i] ?? null);
      return { stream: streamOf(object.stream ?? {}, place), values: arrayOf(object, 'values') };
    });
    if (parts instanceof DecodeError) {
      refuse(request, { reason: 'invalid', count: entriesOf(streams[i] ?? null), because: parts.message });
      continue;
    }
    const { stream, values } = parts;
    if (stream.refusal !== undefined) {
      refuse(request, { ...stream.refusal, count: values.length });
      continue;
    }
    for (let j = 0; j < values.length; j++) {
      if (j % 128 === 127 && turns.over()) await turns.next();
      const entry = attempt(
        () => `${place}.values[${j}]`,
        () => decodeEntry(values[j] ?? null),
      );
      const because = entry instanceof DecodeError ? entry.message : judgeMetadata(stream, entry.metadata, limits);
      if (because !== undefined || entry instanceof DecodeError) {
        refuse(request, { reason: 'invalid', count: 1, because: because ?? '' });
      } else request.logs.push(toRecord(stream, entry, observedNs));
    }
    if (turns.over()) await turns.next();
  }
  return request;

  function streamOf(value: Json, place: string): Stream {
    const labels = textMap(value, 'stream');
    const key = [...labels].flat().join('\0');
    let stream = known.get(key);
    if (stream === undefined) {
      stream = toStream(labels, () => place, limits);
      known.set(key, stream);
    }
    return stream;
  }
}

/** How many entries are lost with a stream that is none. */
function entriesOf(stream: Json): number {
  const values = typeof stream === 'object' && stream !== null && !Array.isArray(stream) ? stream.values : undefined;
  return Array.isArray(values) ? Math.max(1, values.length) : 1;
}

/** The value, or the mistake in it with its place. */
function attempt<T>(place: string | (() => string), work: () => T): T | DecodeError {
  try {
    return inside(place, work);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

function decodeEntry(value: Json): Entry {
  if (!Array.isArray(value)) throw new DecodeError(`expected an array, found ${kindOf(value)}`);
  const [time = null, line = null, metadata] = value;
  if (typeof time !== 'string' || !/^-?\d{1,19}$/.test(time)) {
    throw new DecodeError(`expected nanoseconds as a string, found ${kindOf(time)}`, '[0]');
  }
  const timeNs = BigInt(time);
  if (BigInt.asIntN(64, timeNs) !== timeNs) throw new DecodeError(`${time} does not fit in 64 bits`, '[0]');
  if (typeof line !== 'string') throw new DecodeError(`expected a string, found ${kindOf(line)}`, '[1]');
  return {
    timeNs,
    line,
    metadata: metadata === undefined || metadata === null ? noAttributes : textMap(metadata, '[2]'),
  };
}

function arrayOf(parent: JsonObject, name: string): Json[] {
  const value = parent[name];
  if (Array.isArray(value)) return value;
  throw new DecodeError(`expected an array, found ${value === undefined ? 'nothing' : kindOf(value)}`, name);
}

function textMap(value: Json, path: string): Map<string, AttributeValue> {
  const object = inside(path, () => asObject(value));
  const map = new Map<string, AttributeValue>();
  for (const name in object) {
    const item = object[name];
    if (typeof item !== 'string') {
      throw new DecodeError(`expected a string, found ${kindOf(item ?? null)}`, `${path}.${name}`);
    }
    map.set(name, item);
  }
  return map;
}
