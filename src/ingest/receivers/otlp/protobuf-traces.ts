import {
  type Attributes,
  type AttributeValue,
  noAttributes,
  nowhere,
  type Span,
  type SpanEvent,
  type SpanLink,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { ProtoReader } from '../wire/index.ts';
import { createInvalid, type DecodedSpans, judgeSpan, SPAN_KINDS, SPAN_STATUSES, validSpanId } from './decoded.ts';
import {
  bytesField,
  eachItem,
  fixed32Field,
  fixed64Field,
  type OtlpScope,
  readKeyValue,
  varintField,
} from './protobuf-common.ts';

/** Decodes `ExportTraceServiceRequest`. Spans without valid ids are left out; bad bytes throw DecodeError. */
export async function decodeTracesProtobuf(body: Buffer): Promise<DecodedSpans> {
  const reader = new ProtoReader(body);
  const spans: Span[] = [];
  const invalid = createInvalid();
  const turns = createTurns();
  await eachItem(
    reader,
    (resource, scope) => {
      const at = reader.pos;
      const span = readSpan(reader, resource, scope);
      const problem = judgeSpan(span);
      if (problem === undefined) spans.push(span);
      else invalid.add(`span ${JSON.stringify(span.name.slice(0, 100))} at byte ${at}: ${problem}`);
    },
    () => (spans.length % 128 === 127 && turns.over() ? turns.next() : undefined),
  );
  return { spans, invalid };
}

function readSpan(reader: ProtoReader, resource: Attributes, scope: OtlpScope): Span {
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
        readKeyValue(reader, attributes);
        break;
      case bytesField(11):
        events ??= [];
        events.push(readEvent(reader));
        break;
      case bytesField(13):
        links ??= [];
        links.push(readLink(reader));
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
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === fixed64Field(1)) event.timeNs = reader.fixed64();
    else if (tag === bytesField(2)) event.name = reader.string();
    else if (tag === bytesField(3)) readKeyValue(reader, attributes);
    else reader.skip(tag);
  }
  return event;
}

function readLink(reader: ProtoReader): SpanLink {
  const attributes = new Map<string, AttributeValue>();
  const link: SpanLink = { traceId: '', spanId: '', attributes };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === bytesField(1)) link.traceId = reader.hex();
    else if (tag === bytesField(2)) link.spanId = reader.hex();
    else if (tag === bytesField(4)) readKeyValue(reader, attributes);
    else reader.skip(tag);
  }
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
