import { type Attributes, type AttributeValue, type InstrumentationScope, noAttributes } from '../../../model/index.ts';
import type { Turns } from '../../turns.ts';
import { DecodeError, type ProtoReader } from '../wire/index.ts';
import { type createInvalid, noteDropped } from './decoded.ts';
import { MAX_ATTRIBUTES, MAX_VALUES } from './limits.ts';

/** Field tags as they are on the wire: `number << 3 | type`. */
export const varintField = (number: number) => number << 3;
export const fixed64Field = (number: number) => (number << 3) | 1;
export const bytesField = (number: number) => (number << 3) | 2;
export const fixed32Field = (number: number) => (number << 3) | 5;

const FIELD_1 = bytesField(1);
const FIELD_2 = bytesField(2);
const FIELD_3 = bytesField(3);

/** Reads one `KeyValue` into `into`, or passes over it when that is full. Returns how many were left out: 0 or 1. */
export function readKeyValue(reader: ProtoReader, into: Map<string, AttributeValue>): number {
  if (into.size >= MAX_ATTRIBUTES) {
    reader.pos = reader.length();
    return 1;
  }
  let key = '';
  let value: AttributeValue = null;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) key = reader.string();
    else if (tag === FIELD_2) value = readAnyValue(reader);
    else reader.skip(tag);
  }
  into.set(key, value);
  return 0;
}

export function readAnyValue(reader: ProtoReader): AttributeValue {
  let value: AttributeValue = null;
  for (const end = reader.enter(MAX_VALUES); reader.more(end); ) {
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

/** `KeyValueList`, and `Resource`, whose field 2 counts what the sender left out. */
function readKeyValues(reader: ProtoReader): Attributes {
  const entries = new Map<string, AttributeValue>();
  let dropped = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) dropped += readKeyValue(reader, entries);
    else if (tag === varintField(2)) dropped += reader.uint32();
    else reader.skip(tag);
  }
  noteDropped(entries, 'attributes', dropped);
  return entries.size === 0 ? noAttributes : entries;
}

function readScope(reader: ProtoReader): InstrumentationScope {
  const scope: InstrumentationScope = { name: '', version: '' };
  const attributes = new Map<string, AttributeValue>();
  let dropped = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === FIELD_1) scope.name = reader.string();
    else if (tag === FIELD_2) scope.version = reader.string();
    else if (tag === FIELD_3) dropped += readKeyValue(reader, attributes);
    else if (tag === varintField(4)) dropped += reader.uint32();
    else reader.skip(tag);
  }
  noteDropped(attributes, 'attributes', dropped);
  if (attributes.size > 0) scope.attributes = attributes;
  return scope;
}

/**
 * Walks the three levels that all OTLP requests have: resources, scopes, items. `item` is called with the reader at
 * the item's length; what it yields are places where a long one may pause. Resource, scope and schemas are read first
 * even when a sender put them last. What is damaged inside is left out alone and counted in `invalid`, as lengths tell
 * where the next one begins; a resource that cannot be read counts as one item.
 */
export async function eachItem(
  reader: ProtoReader,
  invalid: ReturnType<typeof createInvalid>,
  item: (resource: Attributes, scope: InstrumentationScope) => Iterable<void> | undefined,
  turns: Turns,
): Promise<void> {
  let seen = 0;
  for (const end = reader.bytes.length; reader.more(end); ) {
    const tag = reader.tag();
    if (tag !== FIELD_1) {
      reader.skip(tag);
      continue;
    }
    const resourceEnd = reader.length();
    try {
      const resource = readFirst(reader, resourceEnd, FIELD_1, readKeyValues) ?? noAttributes;
      const resourceSchema = readFirst(reader, resourceEnd, FIELD_3, readText) ?? '';
      while (reader.more(resourceEnd)) {
        const scopeTag = reader.tag();
        if (scopeTag !== FIELD_2) {
          reader.skip(scopeTag);
          continue;
        }
        const scopeEnd = endWithin(reader, resourceEnd);
        const scope = readFirst(reader, scopeEnd, FIELD_1, readScope) ?? { name: '', version: '' };
        const schemaUrl = readFirst(reader, scopeEnd, FIELD_3, readText) || resourceSchema;
        if (schemaUrl !== '') scope.schemaUrl = schemaUrl;
        while (reader.more(scopeEnd)) {
          const itemTag = reader.tag();
          if (itemTag !== FIELD_2) {
            reader.skip(itemTag);
            continue;
          }
          const at = reader.pos;
          const itemEnd = endWithin(reader, scopeEnd);
          reader.pos = at;
          try {
            const steps = item(resource, scope);
            if (steps !== undefined) for (const _ of steps) if (turns.over()) await turns.next();
          } catch (error) {
            invalid.add(`item at byte ${at}: ${reasonOf(error)}`);
          }
          reader.resume(itemEnd);
          if (++seen % 32 === 0 && turns.over()) await turns.next();
        }
      }
    } catch (error) {
      invalid.add(reasonOf(error));
      reader.resume(resourceEnd);
    }
  }
}

/** Why something damaged is left out; what is no DecodeError goes on upwards. */
export function reasonOf(error: unknown): string {
  if (error instanceof DecodeError) return error.message;
  throw error;
}

function readText(reader: ProtoReader): string {
  return reader.string();
}

/** A length, whose bytes must lie inside of the message that ends at `end`. */
export function endWithin(reader: ProtoReader, end: number): number {
  const at = reader.pos;
  const own = reader.length();
  if (own > end) reader.fail(`${own - reader.pos} bytes announced, ${end - reader.pos} left in its message`, at);
  return own;
}

/** Reads a field wherever it is in the message that starts here; leaves the reader at the message's start. */
function readFirst<T>(
  reader: ProtoReader,
  end: number,
  field: number,
  read: (reader: ProtoReader) => T,
): T | undefined {
  const start = reader.pos;
  let found: T | undefined;
  while (found === undefined && reader.more(end)) {
    const tag = reader.tag();
    if (tag === field) found = read(reader);
    else reader.skip(tag);
  }
  reader.pos = start;
  return found;
}
