import { type AttributeValue, noAttributes } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, ProtoReader } from '../wire/index.ts';
import { parseStreamLabels } from './labels.ts';
import { type Entry, judgeStream, type PushRequest, toRecord } from './stream.ts';

// Field tags (number << 3 | wire type) of logproto.PushRequest, StreamAdapter, EntryAdapter, LabelPairAdapter, Timestamp.
const FIELD_1 = (1 << 3) | 2;
const FIELD_2 = (2 << 3) | 2;
const FIELD_3 = (3 << 3) | 2;
const NUMBER_1 = 1 << 3;
const NUMBER_2 = 2 << 3;

/** Decodes `logproto.PushRequest`. A stream with bad labels is left out with its sentence; bad bytes throw DecodeError. */
export async function decodeProtobufPush(body: Buffer, observedNs: bigint): Promise<PushRequest> {
  const request: PushRequest = { logs: [], invalid: [] };
  const turns = createTurns();
  const reader = new ProtoReader(body);
  while (reader.more(body.length)) {
    const tag = reader.tag();
    if (tag !== FIELD_1) {
      reader.skip(tag);
      continue;
    }
    let labelText = '';
    const entries: Entry[] = [];
    for (const end = reader.length(); reader.more(end); ) {
      const field = reader.tag();
      if (field === FIELD_1) labelText = reader.string();
      else if (field === FIELD_2) {
        entries.push(readEntry(reader));
        if (entries.length % 256 === 255 && turns.over()) await turns.next();
      } else reader.skip(field);
    }
    const labels = labelsOf(labelText);
    const problem = labels instanceof Map ? judgeStream(labels, () => labelText.slice(0, 300)) : labels;
    if (problem !== undefined || !(labels instanceof Map)) {
      request.invalid.push({ count: entries.length, because: problem ?? '' });
      continue;
    }
    for (const entry of entries) request.logs.push(toRecord(labels, entry, observedNs));
  }
  return request;
}

function labelsOf(text: string): Map<string, string> | string {
  try {
    return parseStreamLabels(text);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

function readEntry(reader: ProtoReader): Entry {
  let timeNs = 0n;
  let line = '';
  let metadata: Map<string, AttributeValue> | undefined;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) timeNs = readTimestamp(reader);
    else if (tag === FIELD_2) line = reader.string();
    else if (tag === FIELD_3) {
      const [name, value] = readPair(reader);
      metadata ??= new Map();
      metadata.set(name, value);
    } else reader.skip(tag);
  }
  return { timeNs, line, metadata: metadata ?? noAttributes };
}

function readTimestamp(reader: ProtoReader): bigint {
  let seconds = 0n;
  let nanos = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === NUMBER_1) seconds = reader.int64Exact();
    else if (tag === NUMBER_2) nanos = reader.int64();
    else reader.skip(tag);
  }
  return BigInt.asIntN(64, seconds * 1_000_000_000n + BigInt(Math.trunc(nanos)));
}

function readPair(reader: ProtoReader): [string, string] {
  let name = '';
  let value = '';
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) name = reader.string();
    else if (tag === FIELD_2) value = reader.string();
    else reader.skip(tag);
  }
  return [name, value];
}
