import type { AttributeValue } from '../../../model/index.ts';
import { DecodeError, type Json, parseJson } from '../wire/index.ts';

/** Where the records of a JSON body lie; `end` is behind the last byte. */
interface Extent {
  start: number;
  end: number;
}

/**
 * The records of a body in any of Fluent Bit's JSON forms: an array, one object a line, or objects one behind the other.
 * Only brackets and quotes are looked at, so that one bad record does not take its neighbours along.
 */
export function* jsonRecords(body: Buffer): Generator<Extent> {
  let pos = 0;
  while (pos < body.length) {
    const byte = body[pos] ?? 0;
    if (BETWEEN.has(byte)) {
      pos++;
      continue;
    }
    const end = byte === OPEN_BRACE ? objectEnd(body, pos) : lineEnd(body, pos);
    yield { start: pos, end };
    pos = end;
  }
}

export function parseRecord(body: Buffer, { start, end }: Extent): Map<string, AttributeValue> {
  const value = attributeOf(parseJson(body.subarray(start, end)));
  if (value !== null && typeof value === 'object' && 'kind' in value) return new Map(value.entries);
  throw new DecodeError('expected an object');
}

/** Space, line ends, and what holds an array together. */
const BETWEEN = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5b, 0x5d]);
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function objectEnd(body: Buffer, start: number): number {
  let depth = 0;
  for (let pos = start; pos < body.length; pos++) {
    const byte = body[pos];
    if (byte === QUOTE) {
      pos++;
      while (pos < body.length && body[pos] !== QUOTE) pos += body[pos] === BACKSLASH ? 2 : 1;
    } else if (byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACE && --depth === 0) return pos + 1;
  }
  // An object without an end is a line that was cut: what follows on other lines may be whole.
  return lineEnd(body, start);
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
