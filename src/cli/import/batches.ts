import type { BadPart, Batch } from './batch.ts';
import type { Content } from './content.ts';
import type { ImportFormat } from './format.ts';
import { eachLine, type Lines, runsOfLines } from './lines.ts';
import { jsonObjects, yamlObjects } from './objects.ts';

export interface BatchOptions {
  /** Since when Kubernetes objects hold: RFC 3339. */
  at: string;
}

const SIZE = 1024 * 1024;
/** What has to be read whole: one body, one document. */
const LARGEST_BODY = 64 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The requests that a content makes: always the same for the same content, so that an import can go on where it stopped. */
export function batchesOf(
  content: Content,
  format: ImportFormat,
  options: BatchOptions,
): AsyncGenerator<Batch | BadPart> {
  const pieces = content.pieces();
  switch (format.kind) {
    case 'metrics-text':
      return metricBatches(pieces, format.time);
    case 'remote-write':
      return remoteWriteBatch(pieces, format.version);
    case 'otlp':
      return format.lines ? lineBatches(pieces) : wholeOtlp(pieces, format.signal);
    case 'loki':
      return format.lines ? lineBatches(pieces) : wholeLoki(pieces);
    case 'objects':
      return objectBatches(format.syntax === 'json' ? jsonObjects(pieces) : yamlObjects(pieces), options.at);
  }
}

async function* metricBatches(pieces: AsyncIterable<Buffer>, time: 'seconds' | 'milliseconds'): AsyncGenerator<Batch> {
  const type = time === 'seconds' ? 'application/openmetrics-text; version=1.0.0' : 'application/prometheus-text';
  /** The type of a family holds for lines that follow in the next run. */
  let context: Buffer = Buffer.alloc(0);
  for await (const { bytes, firstLine } of runsOfLines(pieces, SIZE)) {
    const body = context.length === 0 ? bytes : Buffer.concat([context, bytes]);
    const lineOffset = firstLine - 1 - (context.length === 0 ? 0 : 1);
    yield {
      path: '/api/import/metrics',
      headers: { 'content-type': type },
      body,
      place: linesFrom(firstLine, bytes),
      lineOffset,
    };
    context = lastTypeLine(bytes) ?? context;
  }
}

function linesFrom(first: number, bytes: Buffer): string {
  let last = first;
  for (let at = bytes.indexOf(10); at !== -1 && at < bytes.length - 1; at = bytes.indexOf(10, at + 1)) last++;
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

function lastTypeLine(bytes: Buffer): Buffer | undefined {
  const at = bytes.lastIndexOf('# TYPE ');
  if (at === -1 || (at > 0 && bytes[at - 1] !== 10)) return undefined;
  const end = bytes.indexOf(10, at);
  return end === -1 ? undefined : bytes.subarray(at, end + 1);
}

async function* remoteWriteBatch(pieces: AsyncIterable<Buffer>, version: 1 | 2): AsyncGenerator<Batch> {
  yield {
    path: '/prometheus/api/v1/write',
    headers: {
      'content-type':
        version === 1 ? 'application/x-protobuf' : 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': version === 1 ? '0.1.0' : '2.0.0',
    },
    body: await readWhole(pieces),
    place: 'the body',
  };
}

/** Where each kind of line goes, by the key it begins with. */
const DOORS = {
  resourceSpans: '/v1/traces',
  resourceMetrics: '/v1/metrics',
  resourceLogs: '/v1/logs',
  streams: '/loki/api/v1/push',
} as const;
type Key = keyof typeof DOORS;

/** Each line is a body of its own; lines of one kind that follow each other go together. */
async function* lineBatches(pieces: AsyncIterable<Buffer>): AsyncGenerator<Batch | BadPart> {
  for await (const run of runsOfLines(pieces, SIZE)) yield* joinLines(run);
}

function* joinLines(run: Lines): Generator<Batch | BadPart> {
  let group: { key: Key; lines: BodyLine[] } | undefined;
  for (const { text: bytes, line } of eachLine(run)) {
    const text = bytes.toString('utf8').trim();
    if (text === '') continue;
    const read = readLine(text);
    if ('reason' in read) {
      yield { place: `line ${line}`, reason: read.reason };
      continue;
    }
    if (group && group.key !== read.key) {
      yield joined(group.key, group.lines);
      group = undefined;
    }
    group ??= { key: read.key, lines: [] };
    group.lines.push({ text, line, count: read.count });
  }
  if (group) yield joined(group.key, group.lines);
}

interface BodyLine {
  text: string;
  line: number;
  /** Elements of its list. */
  count: number;
}

function readLine(text: string): { key: Key; count: number } | { reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text); // to see that it is whole; what is sent is the text, with every digit
  } catch (error) {
    return { reason: `not JSON: ${error instanceof Error ? error.message : error}` };
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [key, list] = entries[0] ?? [];
  return isKey(key) && entries.length === 1 && Array.isArray(list)
    ? { key, count: list.length }
    : { reason: 'neither OTLP nor Loki push' };
}

function isKey(name: string | undefined): name is Key {
  return name !== undefined && Object.hasOwn(DOORS, name);
}

function joined(key: Key, lines: readonly BodyLine[]): Batch {
  const path = DOORS[key];
  const alone = lines.map(({ text, line }) => ({
    path,
    headers: JSON_TYPE,
    body: Buffer.from(text),
    place: `line ${line}`,
  }));
  const inner = lines.map(({ text }) => new RegExp(`^\\{\\s*"${key}"\\s*:\\s*\\[(.*)\\]\\s*\\}$`, 's').exec(text)?.[1]);
  const list = inner.filter((part) => part?.trim() !== '').join(',');
  // Of OTLP a bad line makes the whole body refused, and then none of it is stored.
  const [first, last] = [lines[0]?.line ?? 0, lines.at(-1)?.line ?? 0];
  const place = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  const body = Buffer.from(`{"${key}":[${list}]}`);
  return {
    path,
    headers: JSON_TYPE,
    body,
    place,
    lines: lines.map(({ line, count }) => ({ line, count })),
    ...(key === 'streams' || lines.length === 1 ? {} : { parts: alone }),
  };
}

async function* wholeOtlp(pieces: AsyncIterable<Buffer>, signal: 'traces' | 'metrics' | 'logs'): AsyncGenerator<Batch> {
  yield { path: `/v1/${signal}`, headers: JSON_TYPE, body: await readWhole(pieces), place: 'the body' };
}

/** Of one push body, parts that each hold about a megabyte of entries. All its numbers are texts, so it may be read. */
async function* wholeLoki(pieces: AsyncIterable<Buffer>): AsyncGenerator<Batch | BadPart> {
  const { streams } = parseStreams(await readWhole(pieces));
  let part: { stream: unknown; values: unknown[] }[] = [];
  let size = 0;
  let number = 1;
  let from = 1;
  const batch = (): Batch => {
    const made = {
      path: DOORS.streams,
      headers: JSON_TYPE,
      body: Buffer.from(JSON.stringify({ streams: part })),
      place: `from entry ${from} on`,
    };
    part = [];
    size = 0;
    from = number;
    return made;
  };
  for (const { stream, values } of streams) {
    let open: { stream: unknown; values: unknown[] } | undefined;
    for (const value of values) {
      if (!open) {
        open = { stream, values: [] };
        part.push(open);
      }
      open.values.push(value);
      number++;
      size += JSON.stringify(value).length;
      if (size < SIZE) continue;
      yield batch();
      open = undefined;
    }
  }
  if (size > 0) yield batch();
}

function parseStreams(body: Buffer): { streams: { stream: unknown; values: unknown[] }[] } {
  const value = JSON.parse(body.toString('utf8').trim()) as { streams?: { stream?: unknown; values?: unknown }[] }; // its parts are looked at below
  if (!Array.isArray(value.streams)) throw new Error('streams is no list');
  return {
    streams: value.streams.map(({ stream, values }) => ({ stream, values: Array.isArray(values) ? values : [] })),
  };
}

async function* objectBatches(
  objects: AsyncIterable<{ text: string } | BadPart>,
  at: string,
): AsyncGenerator<Batch | BadPart> {
  let texts: string[] = [];
  let size = 0;
  let number = 0;
  let from = 1;
  const batch = (): Batch => {
    const body = Buffer.from(`{"at":${JSON.stringify(at)},"objects":[${texts.join(',')}]}`);
    const made = { path: '/api/import/objects', headers: JSON_TYPE, body, place: `from object ${from} on` };
    texts = [];
    size = 0;
    from = number + 1;
    return made;
  };
  for await (const object of objects) {
    number++;
    if ('reason' in object) {
      yield object;
      continue;
    }
    texts.push(object.text);
    size += object.text.length;
    if (size >= SIZE) yield batch();
  }
  if (texts.length > 0) yield batch();
}

async function readWhole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length > LARGEST_BODY)
      throw new Error(`one body of more than ${LARGEST_BODY} bytes; write it as lines, or as several files`);
  }
  return Buffer.concat(held);
}
