import type { Attributes, AttributeValue, InstrumentationScope, Place } from '../model/index.ts';
import type { ColumnValue } from '../store/index.ts';

/** A row as `selectRows` gives it. */
export type Row = Readonly<Record<string, ColumnValue>>;

/** Attributes from their two columns: texts, and the types of those that are not strings. */
export function readAttributes(texts: ColumnValue | undefined, types: ColumnValue | undefined): Attributes {
  if (!(texts instanceof Map)) return new Map();
  const typeOf = types instanceof Map ? types : new Map<string, string>();
  return new Map([...texts].map(([key, text]): [string, AttributeValue] => [key, toValue(text, typeOf.get(key))]));
}

export function readPlace(row: Row): Place {
  return {
    cluster: readText(row.cluster),
    namespace: readText(row.namespace),
    workload: readText(row.workload),
    pod: readText(row.pod),
    container: readText(row.container),
    node: readText(row.node),
    service: readText(row.service),
  };
}

/** Attributes and schema only where there are any. */
export function readScope(row: Row): InstrumentationScope {
  const attributes = readAttributes(row.scope_attributes, undefined);
  const schemaUrl = readText(row.schema_url);
  return {
    name: readText(row.scope_name),
    version: readText(row.scope_version),
    ...(attributes.size > 0 ? { attributes } : {}),
    ...(schemaUrl === '' ? {} : { schemaUrl }),
  };
}

export function readText(value: ColumnValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function readInteger(value: ColumnValue | undefined): bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? BigInt(Math.trunc(value)) : 0n;
}

/** A binary id as hexadecimal digits, empty when it is all zeros. */
export function readId(value: ColumnValue | undefined): string {
  if (!(value instanceof Uint8Array) || value.every((byte) => byte === 0)) return '';
  return Buffer.from(value).toString('hex');
}

function toValue(text: string, type: string | undefined): AttributeValue {
  switch (type) {
    case 'int':
      return BigInt(text);
    case 'double':
      return Number(text);
    case 'bool':
      return text === 'true';
    case 'bytes':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'null':
      return null;
    case 'array':
    case 'map':
      return nested(JSON.parse(text));
    default:
      return text;
  }
}

/** Nested values were kept as JSON, in which integers and fractions look alike. */
function nested(value: unknown): AttributeValue {
  if (Array.isArray(value)) return value.map(nested);
  if (typeof value === 'object' && value !== null) {
    return { kind: 'map', entries: new Map(Object.entries(value).map(([key, item]) => [key, nested(item)])) };
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
