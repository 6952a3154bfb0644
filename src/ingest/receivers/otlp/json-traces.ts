import {
  type Attributes,
  type InstrumentationScope,
  nowhere,
  type Span,
  type SpanEvent,
  type SpanLink,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, eachObject, type JsonObject, objectField, textField } from '../wire/index.ts';
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
import { attributesField, eachJsonItem, idField, smallField, uint64Field } from './json-common.ts';
import { MAX_EVENTS } from './limits.ts';

/** Decodes `ExportTraceServiceRequest` in JSON. */
export async function decodeTracesJson(body: Buffer): Promise<DecodedSpans> {
  const spans: Span[] = [];
  const invalid = createInvalid();
  const backwards = createInvalid();
  await eachJsonItem(
    body,
    { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' },
    invalid,
    (value, resource, scope) => {
      const span = toSpan(value, resource, scope);
      const problem = judgeSpan(span);
      if (problem !== undefined) throw new DecodeError(problem);
      if (completeTimes(span))
        backwards.add(`span ${JSON.stringify(span.name.slice(0, 100))} ends before it starts; it is kept`);
      spans.push(span);
      return undefined;
    },
    createTurns(),
  );
  return { spans, backwards, invalid };
}

function toSpan(value: JsonObject, resource: Attributes, scope: InstrumentationScope): Span {
  const events: SpanEvent[] = [];
  const links: SpanLink[] = [];
  const dropped = {
    events: smallField(value, 'droppedEventsCount'),
    links: smallField(value, 'droppedLinksCount'),
  };
  eachObject(value, 'events', (event) => {
    if (events.length < MAX_EVENTS) events.push(toEvent(event));
    else dropped.events++;
  });
  eachObject(value, 'links', (link) => {
    if (links.length < MAX_EVENTS) links.push(toLink(link));
    else dropped.links++;
  });
  let attributes = attributesField(value, 'attributes');
  if (dropped.events + dropped.links > 0) {
    const all = new Map(attributes);
    noteDropped(all, 'events', dropped.events);
    noteDropped(all, 'links', dropped.links);
    attributes = all;
  }
  const status = objectField(value, 'status') ?? {};
  return {
    traceId: idField(value, 'traceId'),
    spanId: idField(value, 'spanId'),
    parentSpanId: validSpanId(idField(value, 'parentSpanId')),
    name: textField(value, 'name'),
    kind: SPAN_KINDS[smallField(value, 'kind')] ?? 'unspecified',
    startNs: uint64Field(value, 'startTimeUnixNano'),
    endNs: uint64Field(value, 'endTimeUnixNano'),
    status: SPAN_STATUSES[smallField(status, 'code')] ?? 'unset',
    statusMessage: textField(status, 'message'),
    resource,
    attributes,
    scope,
    events,
    links,
    traceState: textField(value, 'traceState'),
    flags: smallField(value, 'flags') >>> 0,
    place: nowhere,
  };
}

function toEvent(event: JsonObject): SpanEvent {
  return {
    timeNs: storableTime(uint64Field(event, 'timeUnixNano')),
    name: textField(event, 'name'),
    attributes: attributesField(event, 'attributes'),
  };
}

function toLink(link: JsonObject): SpanLink {
  const traceState = textField(link, 'traceState');
  const flags = smallField(link, 'flags') >>> 0;
  return {
    traceId: validTraceId(idField(link, 'traceId')),
    spanId: validSpanId(idField(link, 'spanId')),
    ...(traceState === '' ? {} : { traceState }),
    ...(flags === 0 ? {} : { flags }),
    attributes: attributesField(link, 'attributes'),
  };
}
