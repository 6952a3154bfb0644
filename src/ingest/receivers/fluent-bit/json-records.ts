import type { AttributeValue } from '../../../model/index.ts';
import { DecodeError, type Json, parseJson } from '../wire/index.ts';
import type { UnreadPart } from './record.ts';

/** Where a record of a JSON body lies, and within it the value of `kubernetes`; each `end` is behind the last byte. */
interface Extent {
  start: number;
  end: number;
  part?: Part;
}

interface Part {
  start: number;
  end: number;
  unread: UnreadPart;
}

/**
 * The records of a body in any of Fluent Bit's JSON forms: an array, one object a line, or objects one behind the other.
 * Only brackets and quotes are looked at, so that one bad record does not take its neighbours along. What is no object
 * ends in an array at the comma, elsewhere at the end of its line.
 */
export function* jsonRecords(body: Buffer): Generator<Extent> {
  let last: Part | undefined;
  let inArray = false;
  let pos = 0;
  while (pos < body.length) {
    const byte = body[pos] ?? 0;
    const opens: boolean = byte === OPEN_BRACKET && !inArray;
    if (BETWEEN.has(byte) || opens) {
      inArray = opens || (inArray && byte !== CLOSE_BRACKET);
      pos++;
      continue;
    }
    const otherEnd = inArray ? entryEnd : lineEnd;
    const extent = byte === OPEN_BRACE ? objectAt(body, pos, last) : { start: pos, end: otherEnd(body, pos) };
    yield extent;
    last = extent.part ?? last;
    pos = extent.end;
  }
}

export function parseRecord(
  body: Buffer,
  { start, end, part }: Extent,
): { record: Map<string, AttributeValue>; kubernetes: UnreadPart | undefined } {
  if (part === undefined) return { record: parseObject(body.subarray(start, end)), kubernetes: undefined };
  const record = parseObject(Buffer.concat([body.subarray(start, part.start), NULL, body.subarray(part.end, end)]));
  record.delete('kubernetes');
  return { record, kubernetes: part.unread };
}

const NULL = Buffer.from('null');

function parseObject(bytes: Buffer): Map<string, AttributeValue> {
  const value = parseJson(bytes);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new DecodeError('expected an object');
  const record = new Map<string, AttributeValue>();
  for (const name in value) record.set(name, attributeOf(value[name] ?? null));
  return record;
}

const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Space, line ends, and what holds an array together. */
const BETWEEN = new Set([0x20, 0x09, 0x0a, 0x0d, COMMA, CLOSE_BRACKET]);
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const KEY = Buffer.from('"kubernetes"');
const COLON = 0x3a;

/** `last` is the part of a record before: where the same bytes come again, they need no second look. */
function objectAt(body: Buffer, start: number, last: Part | undefined): Extent {
  let depth = 0;
  let part: Part | undefined;
  let partStart = -1;
  for (let pos = start; pos < body.length; pos++) {
    const byte = body[pos];
    if (byte === QUOTE) {
      const quote = pos++;
      while (pos < body.length && body[pos] !== QUOTE) pos += body[pos] === BACKSLASH ? 2 : 1;
      if (depth !== 1 || pos - quote + 1 !== KEY.length || pos >= body.length) continue;
      if (KEY.compare(body, quote, pos + 1) !== 0) continue;
      const value = valueAfter(body, pos + 1);
      if (value === undefined) continue;
      const size = last === undefined ? 0 : last.end - last.start;
      if (
        last !== undefined &&
        value + size <= body.length &&
        body.compare(body, value, value + size, last.start, last.end) === 0
      ) {
        part = { ...last, start: value, end: value + size };
        pos = part.end - 1;
      } else partStart = value;
    } else if (byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACE) {
      depth--;
      if (depth === 0) return part === undefined ? { start, end: pos + 1 } : { start, end: pos + 1, part };
      if (depth === 1 && partStart >= 0) {
        part = partOf(body, partStart, pos + 1);
        partStart = -1;
      }
    }
  }
  // An object without an end is a line that was cut: what follows on other lines may be whole.
  return { start, end: lineEnd(body, start) };
}

function partOf(body: Buffer, start: number, end: number): Part {
  const bytes = body.subarray(start, end);
  return { start, end, unread: { bytes: bytes.toString('latin1'), value: () => attributeOf(parseJson(bytes)) } };
}

/** Where the object begins that a key stands for. */
function valueAfter(body: Buffer, end: number): number | undefined {
  let pos = end;
  while (body[pos] === 0x20 || body[pos] === 0x0a) pos++;
  if (body[pos] !== COLON) return undefined;
  pos++;
  while (body[pos] === 0x20 || body[pos] === 0x0a) pos++;
  return body[pos] === OPEN_BRACE ? pos : undefined;
}

/** Of an array's entry that is no object; at the latest that of its line. */
function entryEnd(body: Buffer, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let pos = start; pos < body.length; pos++) {
    const byte = body[pos];
    if (byte === LINE_FEED) return pos;
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) {
      if (byte === BACKSLASH) pos++;
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) return pos;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
  }
  return body.length;
}

function lineEnd(body: Buffer, start: number): number {
  const end = body.indexOf(LINE_FEED, start);
  return end < 0 ? body.length : end;
}

function attributeOf(value: Json): AttributeValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(attributeOf);
  const entries = new Map<string, AttributeValue>();
  for (const name in value) entries.set(name, attributeOf(value[name] ?? null));
  return { kind: 'map', entries };
}
