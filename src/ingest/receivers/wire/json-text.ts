import { isAscii, isUtf8 } from 'node:buffer';
import { DecodeError } from '../../errors.ts';
import type { Turns } from '../../turns.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  type Json,
  type JsonObject,
  kindOf,
  MAX_JSON_DEPTH,
  malformedJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseExactly,
  QUOTE,
  withoutBom,
} from './json.ts';

/**
 * A large JSON body, of which only the brackets were looked at: its values are parsed when asked for, one by one, by the
 * engine's own parser where that keeps every digit. Nothing in it holds the thread for longer than a turn.
 */
export interface JsonText {
  root: JsonPart;
  /** What `{` … `}` holds: of a name given twice, the last. Empty for `null`. Throws DecodeError for anything else. */
  members(part: JsonPart): Map<string, JsonPart>;
  /** What `[` … `]` holds. Empty for `null`. Throws DecodeError for anything else. */
  elements(part: JsonPart): Iterable<JsonPart>;
  /** The value, parsed at once where it is short. */
  value(part: JsonPart): Json | Promise<Json>;
}

/** A value by where it lies, in bytes; `container` is its number among the body's objects and arrays, or -1. */
export interface JsonPart {
  start: number;
  end: number;
  container: number;
}

/** Parsed at once: about half a millisecond. */
const SHORT = 64 * 1024;
/** Bytes looked at between two glances at the clock. */
const STRIDE = 256 * 1024;

/** Throws DecodeError when the body is not UTF-8, or its brackets and quotes do not match. */
export async function openJson(body: Buffer, turns: Turns): Promise<JsonText> {
  const bytes = withoutBom(body);
  if (!isUtf8(bytes)) throw new DecodeError('malformed JSON: the body is not UTF-8');
  const scan = new Scan(bytes);
  while (!scan.finished) {
    scan.go(STRIDE);
    if (turns.over()) await turns.next();
  }
  return new IndexedText(bytes, scan, turns);
}

/** The whole value of a body, parsed in turns. */
export async function readJson(bytes: Buffer, turns: Turns): Promise<Json> {
  const text = await openJson(bytes, turns);
  return text.value(text.root);
}

/** Finds where every object and array ends, and where integers are too long for a double. */
class Scan {
  finished = false;
  containers = 0;
  /** By number of the container, in the order of their beginnings: the byte after it, and the next container behind it. */
  ends = new Uint32Array(1024);
  nexts = new Uint32Array(1024);
  longIntegers = new Uint32Array(64);
  longIntegerCount = 0;
  private readonly bytes: Buffer;
  private readonly open: number[] = [];
  private readonly openKinds: number[] = [];
  private pos = 0;
  private stringStart = -1;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  go(stride: number): void {
    const { bytes } = this;
    const limit = Math.min(bytes.length, this.pos + stride);
    let pos = this.pos;
    while (pos < limit) {
      if (this.stringStart >= 0) {
        let byte = bytes[pos] ?? 0;
        while (byte !== QUOTE && byte !== BACKSLASH && pos < limit) byte = bytes[++pos] ?? 0;
        if (pos >= limit) break;
        if (byte === QUOTE) this.stringStart = -1;
        pos += byte === QUOTE ? 1 : 2;
        continue;
      }
      const byte = bytes[pos] ?? 0;
      if (byte === QUOTE) this.stringStart = pos++;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.enter(byte, pos++);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.leave(byte, pos++);
      else if (byte >= 0x30 && byte <= 0x39) pos = this.digits(pos);
      else pos++;
    }
    this.pos = pos;
    if (pos < bytes.length) return;
    if (this.stringStart >= 0) throw mistake(bytes, this.stringStart, 'a string without an end');
    if (this.open.length > 0) {
      throw mistake(bytes, bytes.length, this.openKinds.at(-1) === OPEN_BRACE ? 'expected "}"' : 'expected "]"');
    }
    this.finished = true;
  }

  private enter(kind: number, at: number): void {
    if (this.open.length === MAX_JSON_DEPTH) throw mistake(this.bytes, at, `nested more than ${MAX_JSON_DEPTH} deep`);
    if (this.containers === this.ends.length) {
      this.ends = doubled(this.ends);
      this.nexts = doubled(this.nexts);
    }
    this.open.push(this.containers++);
    this.openKinds.push(kind);
  }

  private leave(kind: number, at: number): void {
    const opened = this.openKinds.pop();
    const container = this.open.pop();
    // The brackets of a pair are two apart in ASCII.
    if (opened === undefined || container === undefined || opened + 2 !== kind) {
      throw mistake(this.bytes, at, opened === undefined ? 'expected the end' : 'expected a value');
    }
    this.ends[container] = at + 1;
    this.nexts[container] = this.containers;
  }

  private digits(start: number): number {
    const { bytes } = this;
    let end = start + 1;
    for (let byte = bytes[end] ?? 0; byte >= 0x30 && byte <= 0x39; ) byte = bytes[++end] ?? 0;
    if (end - start < 16 || bytes[start - 1] === POINT) return end;
    if (this.longIntegerCount === this.longIntegers.length) this.longIntegers = doubled(this.longIntegers);
    this.longIntegers[this.longIntegerCount++] = start;
    return end;
  }

  /** Whether an integer that a double may not hold begins in `start` to `end`. */
  hasLongInteger(start: number, end: number): boolean {
    let low = 0;
    let high = this.longIntegerCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.longIntegers[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low < this.longIntegerCount && (this.longIntegers[low] ?? 0) < end;
  }
}

const POINT = 0x2e;

class IndexedText implements JsonText {
  readonly root: JsonPart;
  private readonly bytes: Buffer;
  private readonly scan: Scan;
  private readonly turns: Turns;
  private readonly ascii: boolean;

  constructor(bytes: Buffer, scan: Scan, turns: Turns) {
    this.bytes = bytes;
    this.scan = scan;
    this.turns = turns;
    this.ascii = isAscii(bytes);
    this.root = this.partAt(this.pass(0), 0);
    const rest = this.pass(this.root.end);
    if (rest < bytes.length) throw mistake(bytes, rest, 'expected the end');
  }

  members(part: JsonPart): Map<string, JsonPart> {
    const members = new Map<string, JsonPart>();
    for (const [name, member] of this.pairs(part)) members.set(name, member);
    return members;
  }

  private *pairs(part: JsonPart): Generator<[string, JsonPart]> {
    if (!this.isContainer(part, OPEN_BRACE, 'an object')) return;
    const { bytes } = this;
    let pos = this.pass(part.start + 1);
    let container = part.container + 1;
    while (bytes[pos] !== CLOSE_BRACE) {
      if (bytes[pos] !== QUOTE) throw mistake(bytes, pos, 'expected a name in quotes');
      const nameEnd = this.stringEnd(pos);
      const name = String(this.parse(pos, nameEnd));
      pos = this.pass(nameEnd);
      if (bytes[pos] !== COLON) throw mistake(bytes, pos, 'expected ":"');
      const value = this.partAt(this.pass(pos + 1), container);
      yield [name, value];
      if (value.container >= 0) container = this.scan.nexts[container] ?? 0;
      pos = this.separator(value.end, CLOSE_BRACE);
    }
  }

  elements(part: JsonPart): Iterable<JsonPart> {
    return this.isContainer(part, OPEN_BRACKET, 'an array') ? this.elementsOf(part) : [];
  }

  private *elementsOf(part: JsonPart): Generator<JsonPart> {
    const { bytes } = this;
    let pos = this.pass(part.start + 1);
    let container = part.container + 1;
    while (bytes[pos] !== CLOSE_BRACKET) {
      const value = this.partAt(pos, container);
      yield value;
      if (value.container >= 0) container = this.scan.nexts[container] ?? 0;
      pos = this.separator(value.end, CLOSE_BRACKET);
    }
  }

  value(part: JsonPart): Json | Promise<Json> {
    const { start, end, container } = part;
    return end - start <= SHORT || container < 0 ? this.parse(start, end) : this.long(part);
  }

  private async long(part: JsonPart): Promise<Json> {
    if (this.bytes[part.start] === OPEN_BRACKET) return this.longArray(part);
    const object: JsonObject = Object.create(null);
    for (const [name, member] of this.pairs(part)) {
      const value = this.value(member);
      object[name] = value instanceof Promise ? await value : value;
      if (this.turns.over()) await this.turns.next();
    }
    return object;
  }

  /** Neighbours are parsed together as long as they are short. */
  private async longArray(part: JsonPart): Promise<Json[]> {
    const items: Json[] = [];
    let run: { start: number; end: number } | undefined;
    const parseRun = () => {
      if (run === undefined) return;
      const values = this.parse(run.start, run.end, true);
      if (Array.isArray(values)) for (const value of values) items.push(value);
      run = undefined;
    };
    for (const element of this.elements(part)) {
      if (run !== undefined && element.end - run.start > SHORT) {
        parseRun();
        if (this.turns.over()) await this.turns.next();
      }
      if (element.end - element.start <= SHORT) run = { start: run?.start ?? element.start, end: element.end };
      else items.push(await this.value(element));
    }
    parseRun();
    return items;
  }

  private parse(start: number, end: number, isList = false): Json {
    const { bytes, scan } = this;
    const values = bytes.toString(this.ascii ? 'latin1' : 'utf8', start, end);
    const text = isList ? `[${values}]` : values;
    if (!scan.hasLongInteger(start, end)) {
      try {
        return JSON.parse(text);
      } catch {
        // The exact parser finds the same mistake and can say where it is.
      }
    }
    return parseExactly(text, (offset) => {
      const before = this.ascii ? offset : Buffer.byteLength(text.slice(0, offset));
      return placeOf(bytes, start + before - (isList ? 1 : 0));
    });
  }

  private isContainer(part: JsonPart, bracket: number, kind: string): boolean {
    if (this.bytes[part.start] === bracket) return true;
    if (part.container >= 0) {
      throw new DecodeError(`expected ${kind}, found ${bracket === OPEN_BRACE ? 'an array' : 'an object'}`);
    }
    const value = this.parse(part.start, part.end);
    if (value === null) return false;
    throw new DecodeError(`expected ${kind}, found ${kindOf(value)}`);
  }

  private partAt(start: number, container: number): JsonPart {
    const { bytes } = this;
    const byte = bytes[start];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      return { start, end: this.scan.ends[container] ?? start, container };
    }
    if (byte === QUOTE) return { start, end: this.stringEnd(start), container: -1 };
    let end = start;
    for (let at = bytes[end]; isPlain(at); ) at = bytes[++end];
    if (end === start) throw mistake(bytes, start, 'expected a value');
    return { start, end, container: -1 };
  }

  private stringEnd(start: number): number {
    for (let pos = start + 1; ; pos++) {
      const byte = this.bytes[pos];
      if (byte === QUOTE) return pos + 1;
      if (byte === BACKSLASH) pos++;
      else if (byte === undefined) throw mistake(this.bytes, start, 'a string without an end');
    }
  }

  /** Past the comma to the next value, or at the closing bracket. */
  private separator(end: number, closing: number): number {
    const pos = this.pass(end);
    if (this.bytes[pos] === closing) return pos;
    if (this.bytes[pos] !== COMMA) {
      throw mistake(this.bytes, pos, `expected "," or "${String.fromCharCode(closing)}"`);
    }
    const next = this.pass(pos + 1);
    if (this.bytes[next] === closing) throw mistake(this.bytes, next, 'expected a value');
    return next;
  }

  /** Past white space. */
  private pass(start: number): number {
    let pos = start;
    while (isSpace(this.bytes[pos])) pos++;
    return pos;
  }
}

/** Of a number, true, false or null. */
function isPlain(byte: number | undefined): byte is number {
  return (
    byte !== undefined &&
    ((byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2d ||
      byte === 0x2b ||
      byte === POINT ||
      byte === 0x45)
  );
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function mistake(bytes: Buffer, at: number, what: string): DecodeError {
  return malformedJson(placeOf(bytes, at), what, bytes.toString('utf8', at, at + 12));
}

function placeOf(bytes: Buffer, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (let next = bytes.indexOf(0x0a); next >= 0 && next < at; next = bytes.indexOf(0x0a, next + 1)) {
    line++;
    lineStart = next + 1;
  }
  let column = 1;
  for (let i = lineStart; i < at; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) column++;
  return `line ${line}, column ${column}`;
}
