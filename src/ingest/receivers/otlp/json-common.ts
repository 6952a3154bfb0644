import { type Attributes, type AttributeValue, type InstrumentationScope, noAttributes } from '../../../model/index.ts';
import type { Turns } from '../../turns.ts';
import {
  asObject,
  DecodeError,
  eachObject,
  inside,
  type Json,
  type JsonObject,
  type JsonPart,
  kindOf,
  openJson,
  textField,
} from '../wire/index.ts';
import { type createInvalid, noteDropped } from './decoded.ts';
import { MAX_ATTRIBUTES, MAX_BUCKETS, MAX_DEPTH, MAX_VALUES } from './limits.ts';

/**
 * OTLP's JSON: lowerCamelCase names, ids in hex, 64-bit integers as text or number, enums as integers, unknown fields
 * ignored. Throws DecodeError with the path of the first mistake.
 */

function integerField(parent: JsonObject, name: string): bigint {
  const value = parent[name];
  if (value === undefined || value === null) return 0n;
  return inside(name, () => asInteger(value));
}

export function int64Field(parent: JsonObject, name: string): bigint {
  const value = integerField(parent, name);
  if (BigInt.asIntN(64, value) !== value) throw new DecodeError(`${value} is not a signed 64-bit number`, name);
  return value;
}

function asInteger(value: Json): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw new DecodeError(`expected a whole number, found ${kindOf(value)}`);
}

/** Times in nanoseconds and counts. */
export function uint64Field(parent: JsonObject, name: string): bigint {
  const value = integerField(parent, name);
  if (BigInt.asUintN(64, value) !== value) throw new DecodeError(`${value} is not an unsigned 64-bit number`, name);
  return value;
}

/** Enums and flags: int32 or uint32, told apart nowhere. */
export function smallField(parent: JsonObject, name: string): number {
  const value = integerField(parent, name);
  if (BigInt.asIntN(32, value) !== value && BigInt.asUintN(32, value) !== value) {
    throw new DecodeError(`${value} is not a 32-bit number`, name);
  }
  return Number(value);
}

export function doubleField(parent: JsonObject, name: string): number | undefined {
  const value = parent[name];
  return value === undefined || value === null ? undefined : inside(name, () => asDouble(value));
}

export function asDouble(value: Json): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  if (typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return Number(value);
  throw new DecodeError(`expected a number, found ${kindOf(value)}`);
}

/** 64-bit counts as numbers, or doubles: an array of either. */
export function numbersField(parent: JsonObject, name: string): number[] {
  const value = parent[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new DecodeError(`expected an array, found ${kindOf(value)}`, name);
  if (value.length > MAX_BUCKETS) throw new DecodeError(`a histogram of more than ${MAX_BUCKETS} buckets`, name);
  return value.map((item, i) =>
    inside(
      () => `${name}[${i}]`,
      () => asDouble(item),
    ),
  );
}

export function boolField(parent: JsonObject, name: string): boolean {
  const value = parent[name];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new DecodeError(`expected true or false, found ${kindOf(value)}`, name);
}

/** Hex in any case, made lower. */
export function idField(parent: JsonObject, name: string): string {
  const text = textField(parent, name);
  if (/^(?:[0-9a-fA-F]{2})*$/.test(text)) return text.toLowerCase();
  throw new DecodeError(`expected hexadecimal digits, found ${kindOf(text)}`, name);
}

/** Attributes up to the limit, and how many were left out here or, by its word, by the sender. */
export function attributesField(parent: JsonObject, name: string): Attributes {
  const entries = new Map<string, AttributeValue>();
  const dropped = readAttributes(parent, name, entries) + smallField(parent, 'droppedAttributesCount');
  noteDropped(entries, 'attributes', dropped);
  return entries.size === 0 ? noAttributes : entries;
}

/** Attributes that tell series apart, so that none may be left out. */
export function labelsField(parent: JsonObject, name: string): Attributes {
  const entries = new Map<string, AttributeValue>();
  if (readAttributes(parent, name, entries) > 0) {
    throw new DecodeError(`a point with more than ${MAX_ATTRIBUTES} attributes`, name);
  }
  return entries.size === 0 ? noAttributes : entries;
}

function readAttributes(parent: JsonObject, name: string, into: Map<string, AttributeValue>): number {
  const budget = { values: 0 };
  let dropped = 0;
  eachObject(parent, name, (pair) => {
    if (into.size >= MAX_ATTRIBUTES) dropped++;
    else readPair(pair, into, 0, budget);
  });
  return dropped;
}

function readPair(
  pair: JsonObject,
  into: Map<string, AttributeValue>,
  depth: number,
  budget: { values: number },
): void {
  into.set(
    wellFormed(textField(pair, 'key')),
    inside('value', () => asAnyValue(pair.value ?? null, depth, budget)),
  );
}

const HALF_CHARACTER = /\p{Surrogate}/u;

/** JSON can escape halves of characters, which no encoding of text has. */
function wellFormed(text: string): string {
  return HALF_CHARACTER.test(text) ? Buffer.from(text).toString() : text;
}

export function asAnyValue(value: Json, depth = 0, budget = { values: 0 }): AttributeValue {
  if (value === null) return null;
  if (depth > MAX_DEPTH) throw new DecodeError(`values nested more than ${MAX_DEPTH} deep`);
  if (++budget.values > MAX_VALUES) throw new DecodeError(`more than ${MAX_VALUES} values`);
  const object = asObject(value);
  if (object.stringValue !== undefined) return wellFormed(textField(object, 'stringValue'));
  if (object.intValue !== undefined) return int64Field(object, 'intValue');
  if (object.boolValue !== undefined) return boolField(object, 'boolValue');
  if (object.doubleValue !== undefined) return doubleField(object, 'doubleValue') ?? null;
  if (object.arrayValue !== undefined) {
    const items: AttributeValue[] = [];
    inside('arrayValue', () => {
      const list = asObject(object.arrayValue ?? null).values ?? [];
      if (!Array.isArray(list)) throw new DecodeError(`expected an array, found ${kindOf(list)}`, 'values');
      list.forEach((item, i) => {
        items.push(
          inside(
            () => `values[${i}]`,
            () => asAnyValue(item, depth + 1, budget),
          ),
        );
      });
    });
    return items;
  }
  if (object.kvlistValue !== undefined) {
    return inside('kvlistValue', () => {
      const entries = new Map<string, AttributeValue>();
      eachObject(asObject(object.kvlistValue ?? null), 'values', (pair) => readPair(pair, entries, depth + 1, budget));
      return { kind: 'map', entries };
    });
  }
  if (object.bytesValue !== undefined) return new Uint8Array(Buffer.from(textField(object, 'bytesValue'), 'base64'));
  return null;
}

/**
 * Walks resources, scopes and items of a request, whose values are parsed one item at a time. What cannot be read is
 * left out alone and counted in `invalid`; a resource that cannot be read counts as one item. Throws DecodeError for
 * what is not such a request at all.
 */
export async function eachJsonItem(
  body: Buffer,
  names: { resources: string; scopes: string; items: string },
  invalid: ReturnType<typeof createInvalid>,
  item: (
    value: JsonObject,
    resource: Attributes,
    scope: InstrumentationScope,
    /** Counts a part of the item that could not be read. */
    refuse: (error: DecodeError) => void,
  ) => Iterable<void> | undefined,
  turns: Turns,
): Promise<void> {
  if (body.length === 0) return;
  const text = await openJson(body, turns);
  const member = async (members: Map<string, JsonPart>, name: string): Promise<Json> => {
    const part = members.get(name);
    return part === undefined ? null : text.value(part);
  };
  const elements = (members: Map<string, JsonPart>, name: string) => {
    const part = members.get(name);
    return part === undefined ? [] : inside(name, () => text.elements(part));
  };
  /** What goes wrong in `work` costs only what it reads. */
  const alone = async (path: () => string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      refuse(path, error);
    }
  };
  const refuse = (path: () => string, error: DecodeError) =>
    invalid.add(error.path === '' ? `${path()}: ${error.reason}` : `${path()}.${error.path}: ${error.reason}`);

  let seen = 0;
  let i = -1;
  for (const resourcePart of elements(text.members(text.root), names.resources)) {
    i++;
    await alone(
      () => `${names.resources}[${i}]`,
      async () => {
        const resourceLevel = text.members(resourcePart);
        const resourceJson = await member(resourceLevel, 'resource');
        const resource = inside('resource', () => attributesField(asObject(resourceJson ?? {}), 'attributes'));
        const resourceSchema = await member(resourceLevel, 'schemaUrl');
        let j = -1;
        for (const scopePart of elements(resourceLevel, names.scopes)) {
          j++;
          const scopeLevel = inside(`${names.scopes}[${j}]`, () => text.members(scopePart));
          const scopeJson = await member(scopeLevel, 'scope');
          const schemaUrl = (await member(scopeLevel, 'schemaUrl')) || resourceSchema;
          const scope = inside(`${names.scopes}[${j}].scope`, () => readScope(asObject(scopeJson ?? {}), schemaUrl));
          let k = -1;
          for (const part of inside(`${names.scopes}[${j}]`, () => elements(scopeLevel, names.items))) {
            k++;
            const path = () => `${names.resources}[${i}].${names.scopes}[${j}].${names.items}[${k}]`;
            await alone(path, async () => {
              const value = asObject(await text.value(part));
              const steps = item(value, resource, scope, (error) => refuse(path, error));
              if (steps !== undefined) for (const _ of steps) if (turns.over()) await turns.next();
            });
            if (++seen % 16 === 0 && turns.over()) await turns.next();
          }
        }
      },
    );
  }
}

function readScope(scope: JsonObject, schemaUrl: Json): InstrumentationScope {
  const attributes = attributesField(scope, 'attributes');
  return {
    name: textField(scope, 'name'),
    version: textField(scope, 'version'),
    ...(attributes.size > 0 ? { attributes } : {}),
    ...(typeof schemaUrl === 'string' && schemaUrl !== '' ? { schemaUrl } : {}),
  };
}
