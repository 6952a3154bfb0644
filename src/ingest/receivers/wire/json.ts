import { isUtf8 } from 'node:buffer';
import { DecodeError, inside } from './errors.ts';

/** A JSON value whose integers too large for a double are bigint. */
export type Json = string | number | bigint | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** An integer of 16 digits or more outside of a decimal number; also matches inside strings, which only costs time. */
const BIG_INTEGER = /[[:,\s]-?\d{16,}/;
const MAX_DEPTH = 200;

/**
 * Parses UTF-8 JSON without losing digits of large integers. Throws DecodeError with the position of the first error.
 */
export function parseJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw new DecodeError('malformed JSON: the body is not UTF-8');
  const text = bytes.toString('utf8', 0, bytes.length);
  if (!BIG_INTEGER.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // The exact parser finds the same error and can say where it is.
    }
  }
  return new ExactParser(text).parse();
}

class ExactParser {
  private readonly text: string;
  private pos = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  parse(): Json {
    const value = this.value();
    this.space();
    if (this.pos < this.text.length) this.fail('expected the end');
    return value;
  }

  private fail(what: string): never {
    const before = this.text.slice(0, this.pos);
    const line = before.split('\n').length;
    const column = this.pos - before.lastIndexOf('\n');
    const found = this.pos < this.text.length ? JSON.stringify(this.text.slice(this.pos, this.pos + 12)) : 'the end';
    throw new DecodeError(`malformed JSON at line ${line}, column ${column}: ${what}, found ${found}`);
  }

  private value(): Json {
    this.space();
    switch (this.text[this.pos]) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(): JsonObject {
    if (++this.depth > MAX_DEPTH) this.fail(`nested more than ${MAX_DEPTH} deep`);
    const object: JsonObject = Object.create(null);
    this.pos++;
    this.space();
    if (this.text[this.pos] === '}') this.pos++;
    else {
      for (;;) {
        this.space();
        if (this.text[this.pos] !== '"') this.fail('expected a name in quotes');
        const name = this.string();
        this.space();
        if (this.text[this.pos] !== ':') this.fail('expected ":"');
        this.pos++;
        object[name] = this.value();
        this.space();
        const next = this.text[this.pos];
        if (next !== ',' && next !== '}') this.fail('expected "," or "}"');
        this.pos++;
        if (next === '}') break;
      }
    }
    this.depth--;
    return object;
  }

  private array(): Json[] {
    if (++this.depth > MAX_DEPTH) this.fail(`nested more than ${MAX_DEPTH} deep`);
    const items: Json[] = [];
    this.pos++;
    this.space();
    if (this.text[this.pos] === ']') this.pos++;
    else {
      for (;;) {
        items.push(this.value());
        this.space();
        const next = this.text[this.pos];
        if (next !== ',' && next !== ']') this.fail('expected "," or "]"');
        this.pos++;
        if (next === ']') break;
      }
    }
    this.depth--;
    return items;
  }

  private string(): string {
    const start = this.pos;
    for (let i = start + 1; i < this.text.length; i++) {
      const code = this.text.charCodeAt(i);
      if (code === 0x5c) i++;
      else if (code === 0x22) {
        this.pos = i + 1;
        return this.unquote(start, i + 1);
      }
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
    const pattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
    pattern.lastIndex = this.pos;
    const match = pattern.exec(this.text);
    if (!match) this.fail('expected a value');
    this.pos = pattern.lastIndex;
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
    for (;;) {
      const code = this.text.charCodeAt(this.pos);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.pos++;
    }
  }
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

export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the string ${JSON.stringify(value.slice(0, 40))}` : `${typeof value} ${value}`;
}
