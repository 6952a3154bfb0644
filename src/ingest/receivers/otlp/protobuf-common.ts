import { type Attributes, type AttributeValue, noAttributes } from '../../../model/index.ts';
import type { ProtoReader } from '../wire/index.ts';

/** Field tags as they are on the wire: `number << 3 | type`. */
export const varintField = (number: number) => number << 3;
export const fixed64Field = (number: number) => (number << 3) | 1;
export const bytesField = (number: number) => (number << 3) | 2;
export const fixed32Field = (number: number) => (number << 3) | 5;

const FIELD_1 = bytesField(1);
const FIELD_2 = bytesField(2);

/** Reads one `KeyValue` into `into`. */
export function readKeyValue(reader: ProtoReader, into: Map<string, AttributeValue>): void {
  let key = '';
  let value: AttributeValue = null;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) key = reader.string();
    else if (tag === FIELD_2) value = readAnyValue(reader);
    else reader.skip(tag);
  }
  into.set(key, value);
}

export function readAnyValue(reader: ProtoReader): AttributeValue {
  let value: AttributeValue = null;
  for (const end = reader.enter(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(1):
        value = reader.string();
        break;
      case varintField(2):
        value = reader.bool();
        break;
      case varintField(3):
        value = reader.int64Exact();
        break;
      case fixed64Field(4):
        value = reader.double();
        break;
      case bytesField(5):
        value = readArray(reader);
        break;
      case bytesField(6):
        value = { kind: 'map', entries: readKeyValues(reader) };
        break;
      case bytesField(7):
        value = reader.byteString();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave();
  return value;
}

function readArray(reader: ProtoReader): AttributeValue[] {
  const items: AttributeValue[] = [];
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) items.push(readAnyValue(reader));
    else reader.skip(tag);
  }
  return items;
}

/** A message whose field 1 is repeated KeyValue: `KeyValueList`, and `Resource`. */
function readKeyValues(reader: ProtoReader): Attributes {
  const entries = new Map<string, AttributeValue>();
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) readKeyValue(reader, entries);
    else reader.skip(tag);
  }
  return entries.size === 0 ? noAttributes : entries;
}

export interface OtlpScope {
  name: string;
  version: string;
}

function readScope(reader: ProtoReader): OtlpScope {
  const scope = { name: '', version: '' };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) scope.name = reader.string();
    else if (tag === FIELD_2) scope.version = reader.string();
    else reader.skip(tag);
  }
  return scope;
}

/**
 * Walks the three levels that all OTLP requests have: resources, scopes, items. `item` is called with the reader at
 * the item's length. Resource and scope are read first even when a sender put them last.
 */
export async function eachItem(
  reader: ProtoReader,
  item: (resource: Attributes, scope: OtlpScope) => void,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  for (const end = reader.bytes.length; reader.more(end); ) {
    const tag = reader.tag();
    if (tag !== FIELD_1) {
      reader.skip(tag);
      continue;
    }
    const resourceEnd = reader.length();
    const resource = readFirst(reader, resourceEnd, readKeyValues) ?? noAttributes;
    while (reader.more(resourceEnd)) {
      const scopeTag = reader.tag();
      if (scopeTag !== FIELD_2) {
        reader.skip(scopeTag);
        continue;
      }
      const scopeEnd = reader.length();
      const scope = readFirst(reader, scopeEnd, readScope) ?? { name: '', version: '' };
      while (reader.more(scopeEnd)) {
        const itemTag = reader.tag();
        if (itemTag !== FIELD_2) {
          reader.skip(itemTag);
          continue;
        }
        item(resource, scope);
        const pausing = pause();
        if (pausing !== undefined) await pausing;
      }
    }
  }
}

/** Reads field 1 wherever it is in the message that starts here; leaves the reader at the message's start. */
function readFirst<T>(reader: ProtoReader, end: number, read: (reader: ProtoReader) => T): T | undefined {
  const start = reader.pos;
  let found: T | undefined;
  while (found === undefined && reader.more(end)) {
    const tag = reader.tag();
    if (tag === FIELD_1) found = read(reader);
    else reader.skip(tag);
  }
  reader.pos = start;
  return found;
}
