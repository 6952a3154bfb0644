import { isUtf8 } from 'node:buffer';
import { type AttributeValue, noAttributes } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, decodeText, escapeInvalidUtf8, ProtoReader } from '../wire/index.ts';
import { parseStreamLabels } from './labels.ts';
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

// Field tags (number << 3 | wire type) of logproto.PushRequest, StreamAdapter, EntryAdapter, LabelPairAdapter, Timestamp.
const FIELD_1 = (1 << 3) | 2;
const FIELD_2 = (2 << 3) | 2;
const FIELD_3 = (3 << 3) | 2;
const NUMBER_1 = 1 << 3;
const NUMBER_2 = 2 << 3;

/**
 * Decodes `logproto.PushRequest`. A stream with bad labels is refused alone; bad bytes throw DecodeError. Lines that are
 * not UTF-8 keep their bytes as `\xNN`.
 */
export async function decodeProtobufPush(
  body: Buffer,
  observedNs: bigint,
  limits = defaultStreamLimits,
): Promise<PushRequest> {
  const request: PushRequest = { logs: [], refused: [], escaped: 0 };
  const known = new Map<string, Stream>();
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
        entries.push(readEntry(reader, request));
        if (entries.length % 128 === 127 && turns.over()) await turns.next();
      } else reader.skip(field);
    }
    const stream = streamOf(labelText);
    if (stream.refusal !== undefined) {
      refuse(request, { ...stream.refusal, count: entries.length });
      continue;
    }
    for (const entry of entries) {
      const because = judgeMetadata(stream, entry.metadata, limits);
      if (because === undefined) request.logs.push(toRecord(stream, entry, observedNs));
      else refuse(request, { reason: 'invalid', count: 1, because });
    }
    if (turns.over()) await turns.next();
  }
  return request;

  function streamOf(text: string): Stream {
    let stream = known.get(text);
    if (stream === undefined) {
      const labels = labelsOf(text);
      stream =
        labels instanceof Map
          ? toStream(labels, () => text.slice(0, 300), limits)
          : { labels: noAttributes, level: '', refusal: { reason: 'invalid', because: labels } };
      known.set(text, stream);
    }
    return stream;
  }
}

function labelsOf(text: string): Map<string, string> | string {
  try {
    return parseStreamLabels(text);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

function readEntry(reader: ProtoReader, request: PushRequest): Entry {
  let timeNs = 0n;
  let line = '';
  let metadata: Map<string, AttributeValue> | undefined;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) timeNs = readTimestamp(reader);
    else if (tag === FIELD_2) line = readLine(reader, request);
    else if (tag === FIELD_3) {
      const [name, value] = readPair(reader);
      metadata ??= new Map();
      metadata.set(name, value);
    } else reader.skip(tag);
  }
  return { timeNs, line, metadata: metadata ?? noAttributes };
}

function readLine(reader: ProtoReader, request: PushRequest): string {
  const end = reader.length();
  const { bytes, pos } = reader;
  reader.pos = end;
  const text = decodeText(bytes, pos, end);
  // The decoder's replacement may also be a character that the sender wrote.
  if (!text.includes('\ufffd')) return text;
  const raw = bytes.subarray(pos, end);
  if (isUtf8(raw)) return text;
  request.escaped++;
  return escapeInvalidUtf8(raw, { inJson: false }).toString('utf8');
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
