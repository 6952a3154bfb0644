import { type AttributeValue, noAttributes } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { asObject, DecodeError, inside, type Json, type JsonObject, kindOf, parseJson } from '../wire/index.ts';
import { type Entry, judgeStream, type PushRequest, toRecord } from './stream.ts';

/** Decodes `{"streams":[{"stream":{…},"values":[["<ns>","line",{…}]]}]}`. Throws DecodeError where it is something else. */
export async function decodeJsonPush(body: Buffer, observedNs: bigint): Promise<PushRequest> {
  const request: PushRequest = { logs: [], invalid: [] };
  const turns = createTurns();
  const streams = arrayOf(asObject(parseJson(body)), 'streams');
  for (let i = 0; i < streams.length; i++) {
    const stream = inside(`streams[${i}]`, () => asObject(streams[i] ?? null));
    const labels = inside(`streams[${i}]`, () => textMap(stream.stream ?? {}, 'stream'));
    const values = inside(`streams[${i}]`, () => arrayOf(stream, 'values'));
    const problem = judgeStream(labels, () => `streams[${i}]`);
    if (problem !== undefined) {
      request.invalid.push({ count: values.length, because: problem });
      continue;
    }
    for (let j = 0; j < values.length; j++) {
      if (j % 256 === 255 && turns.over()) await turns.next();
      const entry = inside(
        () => `streams[${i}].values[${j}]`,
        () => decodeEntry(values[j] ?? null),
      );
      request.logs.push(toRecord(labels, entry, observedNs));
    }
  }
  return request;
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
  for (const [name, item] of Object.entries(object)) {
    if (typeof item !== 'string') throw new DecodeError(`expected a string, found ${kindOf(item)}`, `${path}.${name}`);
    map.set(name, item);
  }
  return map;
}
