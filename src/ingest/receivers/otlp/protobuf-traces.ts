import {
  type Attributes,
  type AttributeValue,
  type InstrumentationScope,
  noAttributes,
  nowhere,
  type Span,
  type SpanEvent,
  type SpanLink,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { ProtoReader } from '../wire/index.ts';
import {
  completeTimes,
  createInvalid,
  type DecodedSpans,
  judgeSpan,
  noteDropped,
  SPAN_KINDS,
  SPAN_STATUSES,
  storableTime,
  validSpanId,
  validTraceId,
} from './decoded.ts';
import { MAX_EVENTS } from './limits.ts';
import { bytesField, eachItem, fixed32Field, fixed64Field, readKeyValue, varintField } from './protobuf-common.ts';

/** Decodes `ExportTraceServiceRequest`. Damaged spans and those without valid ids are left out; bytes that are no request throw DecodeError. */
export async function decodeTracesProtobuf(body: Buffer): Promise<DecodedSpans> {
  const reader = new ProtoReader(body);
  const spans: Span[] = [];
  const invalid = createInvalid();
  const backwards = createInvalid();
  await eachItem(
    reader,
    invalid,
    (resource, scope) => {
      const at = reader.pos;
      const span = readSpan(reader, resource, scope);
      const problem = judgeSpan(span);
      const name = () => JSON.stringify(span.name.slice(0, 100));
      if (problem !== undefined) invalid.add(`span ${name()} at byte ${at}: ${problem}`);
      else {
        if (completeTimes(span)) backwards.add(`span ${name()} ends before it starts; it is kept`);
        spans.push(span);
      }
      return undefined;
    },
    createTurns(),
  );
  return { spans, backwards, invalid };
}

function readSpan(reader: ProtoReader, resource: Attributes, scope: InstrumentationScope): Span {
  const span: Span = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 'unspecified',
    startNs: 0n,
    endNs: 0n,
    status: 'unset',
    statusMessage: '',
    resource,
    attributes: noAttributes,
    scope,
    events: NO_EVENTS,
    links: NO_LINKS,
    traceState: '',
    flags: 0,
    place: nowhere,
  };
  let attributes: Map<string, AttributeValue> | undefined;
  let events: SpanEvent[] | undefined;
  let links: SpanLink[] | undefined;
  const dropped = { attributes: 0, events: 0, links: 0 };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(1):
        span.traceId = reader.hex();
        break;
      case bytesField(2):
        span.spanId = reader.hex();
        break;
      case bytesField(3):
        span.traceState = reader.string();
        break;
      case bytesField(4):
        span.parentSpanId = validSpanId(reader.hex());
        break;
      case bytesField(5):
        span.name = reader.string();
        break;
      case varintField(6):
        span.kind = SPAN_KINDS[reader.uint32()] ?? 'unspecified';
        break;
      case fixed64Field(7):
        span.startNs = reader.fixed64();
        break;
      case fixed64Field(8):
        span.endNs = reader.fixed64();
        break;
      case bytesField(9):
        attributes ??= new Map();
        dropped.attributes += readKeyValue(reader, attributes);
        break;
      case varintField(10):
        dropped.attributes += reader.uint32();
        break;
      case bytesField(11):
        events ??= [];
        if (events.length < MAX_EVENTS) events.push(readEvent(reader));
        else {
          dropped.events++;
          reader.skip(tag);
        }
        break;
      case varintField(12):
        dropped.events += reader.uint32();
        break;
      case bytesField(13):
        links ??= [];
        if (links.length < MAX_EVENTS) links.push(readLink(reader));
        else {
          dropped.links++;
          reader.skip(tag);
        }
        break;
      case varintField(14):
        dropped.links += reader.uint32();
        break;
      case bytesField(15):
        readStatus(reader, span);
        break;
      case fixed32Field(16):
        span.flags = reader.fixed32();
        break;
      default:
        reader.skip(tag);
    }
  }
  if (dropped.attributes + dropped.events + dropped.links > 0) {
    attributes ??= new Map();
    noteDropped(attributes, 'attributes', dropped.attributes);
    noteDropped(attributes, 'events', dropped.events);
    noteDropped(attributes, 'links', dropped.links);
  }
  if (attributes !== undefined) span.attributes = attributes;
  if (events !== undefined) span.events = events;
  if (links !== undefined) span.links = links;
  return span;
}

const NO_EVENTS: readonly SpanEvent[] = [];
const NO_LINKS: readonly SpanLink[] = [];

function readEvent(reader: ProtoReader): SpanEvent {
  const attributes = new Map<string, AttributeValue>();
  const event: SpanEvent = { timeNs: 0n, name: '', attributes };
  let dropped = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === fixed64Field(1)) event.timeNs = storableTime(reader.fixed64());
    else if (tag === bytesField(2)) event.name = reader.string();
    else if (tag === bytesField(3)) dropped += readKeyValue(reader, attributes);
    else if (tag === varintField(4)) dropped += reader.uint32();
    else reader.skip(tag);
  }
  noteDropped(attributes, 'attributes', dropped);
  return event;
}

function readLink(reader: ProtoReader): SpanLink {
  const attributes = new Map<string, AttributeValue>();
  const link: SpanLink = { traceId: '', spanId: '', attributes };
  let dropped = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === bytesField(1)) link.traceId = validTraceId(reader.hex());
    else if (tag === bytesField(2)) link.spanId = validSpanId(reader.hex());
    else if (tag === bytesField(3)) link.traceState = reader.string();
    else if (tag === bytesField(4)) dropped += readKeyValue(reader, attributes);
    else if (tag === varintField(5)) dropped += reader.uint32();
    else if (tag === fixed32Field(6)) link.flags = reader.fixed32();
    else reader.skip(tag);
  }
  noteDropped(attributes, 'attributes', dropped);
  return link;
}

function readStatus(reader: ProtoReader, span: Span): void {
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === bytesField(2)) span.statusMessage = reader.string();
    else if (tag === varintField(3)) span.status = SPAN_STATUSES[reader.uint32()] ?? 'unset';
    else reader.skip(tag);
  }
}
