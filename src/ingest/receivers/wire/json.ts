import { isUtf8 } from 'node:buffer';
import { DecodeError, inside } from '../../errors.ts';

/** A JSON value whose integers too large for a double are bigint. */
export type Json = string | number | bigint | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** An integer of 16 digits or more outside of a decimal number; also matches inside strings, which only costs time. */
const BIG_INTEGER = /[[:,\s]-?\d{16,}/;
/** OTLP has four levels of JSON in each level of its own values, of which it allows 64. */
export const MAX_JSON_DEPTH = 300;

/**
 * Parses UTF-8 JSON without losing digits of large integers, in one go: for small bodies, else see `openJson`. Throws
 * DecodeError with the position of the first error.
 */
export function parseJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw new DecodeError('malformed JSON: the body is not UTF-8');
  const text = withoutBom(bytes).toString('utf8');
  if (!BIG_INTEGER.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // The exact parser finds the same error and can say where it is.
    }
  }
  return parseExactly(text, (offset) => {
    const before = text.slice(0, offset);
    return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
  });
}

/** Some programs write U+FEFF before JSON; a reader may pass over it (RFC 8259, 8.1). */
export function withoutBom(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Parses one JSON value without losing digits; `where` names the place of an offset, for the message of a mistake. */
export function parseExactly(text: string, where: (offset: number) => string): Json {
  return new ExactParser(text, where).parse();
}

class ExactParser {
  private readonly text: string;
  private readonly where: (offset: number) => string;
  private pos = 0;
  private depth = 0;

  constructor(text: string, where: (offset: number) => string) {
    this.text = text;
    this.where = where;
  }

  parse(): Json {
    const value = this.value();
    this.space();
    if (this.pos < this.text.length) this.fail('expected the end');
    return value;
  }

  private fail(what: string): never {
    throw malformedJson(this.where(this.pos), what, this.text.slice(this.pos, this.pos + 12));
  }

  private value(): Json {
    this.space();
    switch (this.text.charCodeAt(this.pos)) {
      case OPEN_BRACE:
        return this.object();
      case OPEN_BRACKET:
        return this.array();
      case QUOTE:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(): JsonObject {
    if (++this.depth > MAX_JSON_DEPTH) this.fail(`nested more than ${MAX_JSON_DEPTH} deep`);
    const object: JsonObject = Object.create(null);
    this.pos++;
    this.space();
    if (this.text.charCodeAt(this.pos) === CLOSE_BRACE) this.pos++;
    else {
      for (;;) {
        this.space();
        if (this.text.charCodeAt(this.pos) !== QUOTE) this.fail('expected a name in quotes');
        const name = this.string();
        this.space();
        if (this.text.charCodeAt(this.pos) !== COLON) this.fail('expected ":"');
        this.pos++;
        object[name] = this.value();
        this.space();
        const next = this.text.charCodeAt(this.pos);
        if (next !== COMMA && next !== CLOSE_BRACE) this.fail('expected "," or "}"');
        this.pos++;
        if (next === CLOSE_BRACE) break;
      }
    }
    this.depth--;
    return object;
  }

  private array(): Json[] {
    if (++this.depth > MAX_JSON_DEPTH) this.fail(`nested more than ${MAX_JSON_DEPTH} deep`);
    const items: Json[] = [];
    this.pos++;
    this.space();
    if (this.text.charCodeAt(this.pos) === CLOSE_BRACKET) this.pos++;
    else {
      for (;;) {
        items.push(this.value());
        this.space();
        const next = this.text.charCodeAt(this.pos);
        if (next !== COMMA && next !== CLOSE_BRACKET) this.fail('expected "," or "]"');
        this.pos++;
        if (next === CLOSE_BRACKET) break;
      }
    }
    this.depth--;
    return items;
  }

  private string(): string {
    const { text } = this;
    const start = this.pos;
    let plain = true;
    for (let i = start + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.pos = i + 1;
        return plain ? text.slice(start + 1, i) : this.unquote(start, i + 1);
      }
      if (code === BACKSLASH) {
        plain = false;
        i++;
      } else if (code < 0x20) plain = false;
    }
    return this.fail('a string without an end');
  }

  private unquote(start: number, end: number): string {
    try {
      return JSON.parse(this.text.slice(start, end));
    } catch {
      this.pos = start;
      return this.fail('a string with a bad escape or control character');
    }
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.pos;
    const match = NUMBER.exec(this.text);
    if (!match) this.fail('expected a value');
    this.pos = NUMBER.lastIndex;
    const number = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    return isInteger && match[0].length >= 16 && !Number.isSafeInteger(number) ? BigInt(match[0]) : number;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.pos)) this.fail('expected a value');
    this.pos += word.length;
    return value;
  }

  private space(): void {
    while (isSpace(this.text.charCodeAt(this.pos))) this.pos++;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** `found` is the text at the mistake, empty at the end. Only its first character is told: it may be part of a secret. */
export function malformedJson(where: string, what: string, found: string): DecodeError {
  return new DecodeError(
    `malformed JSON at ${where}: ${what}, found ${found === '' ? 'the end' : JSON.stringify([...found][0])}`,
  );
}

/** Reads a field that must be an object; absent and null are `undefined`. */
export function objectField(parent: JsonObject, name: string): JsonObject | undefined {
  const value = parent[name];
  return value === undefined || value === null ? undefined : inside(name, () => asObject(value));
}

/** Visits a field that must be an array of objects; absent and null are empty. */
export function eachObject(parent: JsonObject, name: string, visit: (item: JsonObject, index: number) => void): void {
  const value = parent[name];
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) throw new DecodeError(`expected an array, found ${kindOf(value)}`, name);
  for (let i = 0; i < value.length; i++) {
    inside(
      () => `${name}[${i}]`,
      () => visit(asObject(value[i] ?? null), i),
    );
  }
}

/** Text; absent and null are empty. */
export function textField(parent: JsonObject, name: string): string {
  const value = parent[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new DecodeError(`expected a string, found ${kindOf(value)}`, name);
}

export function asObject(value: Json): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new DecodeError(`expected an object, found ${kindOf(value)}`);
}

/** For messages of mistakes: no more of a value than cannot be a secret, a time or a short number. */
export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return `boolean ${value}`;
  if (typeof value !== 'string') return value > -1000 && value < 1000 ? `${typeof value} ${value}` : 'a larger number';
  return /^[\d:.TZ+-]{0,35}$/.test(value)
    ? `the string ${JSON.stringify(value)}`
    : `a string of ${value.length} characters`;
}
