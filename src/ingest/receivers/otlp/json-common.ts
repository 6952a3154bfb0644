import { type Attributes, type AttributeValue, noAttributes } from '../../../model/index.ts';
import {
  asObject,
  DecodeError,
  eachObject,
  inside,
  type Json,
  type JsonObject,
  kindOf,
  objectField,
  textField,
} from '../wire/index.ts';
import type { Invalid } from './decoded.ts';
import type { OtlpScope } from './protobuf-common.ts';

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

export function attributesField(parent: JsonObject, name: string, depth = 0): Attributes {
  const entries = new Map<string, AttributeValue>();
  eachObject(parent, name, (pair) => {
    entries.set(
      textField(pair, 'key'),
      inside('value', () => asAnyValue(pair.value ?? null, depth)),
    );
  });
  return entries.size === 0 ? noAttributes : entries;
}

const MAX_DEPTH = 64;

export function asAnyValue(value: Json, depth = 0): AttributeValue {
  if (value === null) return null;
  if (depth > MAX_DEPTH) throw new DecodeError(`values nested more than ${MAX_DEPTH} deep`);
  const object = asObject(value);
  if (object.stringValue !== undefined) return textField(object, 'stringValue');
  if (object.intValue !== undefined) return int64Field(object, 'intValue');
  if (object.boolValue !== undefined) return boolField(object, 'boolValue');
  if (object.doubleValue !== undefined) return doubleField(object, 'doubleValue') ?? null;
  if (object.arrayValue !== undefined) {
    const items: AttributeValue[] = [];
    inside('arrayValue', () => {
      const list = asObject(object.arrayValue ?? null).values ?? [];
      if (!Array.isArray(list)) throw new DecodeError(`expected an array, found ${kindOf(list)}`, 'values');
      list.forEach((item, i) => {
        items.push(inside(`values[${i}]`, () => asAnyValue(item, depth + 1)));
      });
    });
    return items;
  }
  if (object.kvlistValue !== undefined) {
    return inside('kvlistValue', () => ({
      kind: 'map',
      entries: attributesField(asObject(object.kvlistValue ?? null), 'values', depth + 1),
    }));
  }
  if (object.bytesValue !== undefined) return new Uint8Array(Buffer.from(textField(object, 'bytesValue'), 'base64'));
  return null;
}

/**
 * Walks resources, scopes and items of a request. An item that cannot be read is refused alone; a mistake above the
 * items refuses the request.
 */
export async function eachJsonItem(
  request: Json,
  names: { resources: string; scopes: string; items: string },
  invalid: Invalid & { add(example: string, count?: number): void },
  item: (value: JsonObject, resource: Attributes, scope: OtlpScope) => void,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const levels: { path: string; resource: Attributes; scope: OtlpScope; items: Json[] }[] = [];
  eachObject(asObject(request), names.resources, (resourceLevel, i) => {
    const resource = inside('resource', () =>
      attributesField(objectField(resourceLevel, 'resource') ?? {}, 'attributes'),
    );
    eachObject(resourceLevel, names.scopes, (scopeLevel, j) => {
      const scopeObject = objectField(scopeLevel, 'scope') ?? {};
      const scope = inside('scope', () => ({
        name: textField(scopeObject, 'name'),
        version: textField(scopeObject, 'version'),
      }));
      const items = scopeLevel[names.items] ?? [];
      if (!Array.isArray(items)) throw new DecodeError(`expected an array, found ${kindOf(items)}`, names.items);
      levels.push({ path: `${names.resources}[${i}].${names.scopes}[${j}].${names.items}`, resource, scope, items });
    });
  });
  let seen = 0;
  for (const { path, resource, scope, items } of levels) {
    for (let i = 0; i < items.length; i++) {
      try {
        inside(
          () => `${path}[${i}]`,
          () => item(asObject(items[i] ?? null), resource, scope),
        );
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        invalid.add(error.message);
      }
      const pausing = ++seen % 64 === 63 ? pause() : undefined;
      if (pausing !== undefined) await pausing;
    }
  }
}
