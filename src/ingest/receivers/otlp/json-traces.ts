import { type Attributes, nowhere, type Span, type SpanEvent, type SpanLink } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, eachObject, type JsonObject, objectField, parseJson, textField } from '../wire/index.ts';
import { createInvalid, type DecodedSpans, judgeSpan, SPAN_KINDS, SPAN_STATUSES, validSpanId } from './decoded.ts';
import { attributesField, eachJsonItem, idField, smallField, uint64Field } from './json-common.ts';
import type { OtlpScope } from './protobuf-common.ts';

/** Decodes `ExportTraceServiceRequest` in JSON. */
export async function decodeTracesJson(body: Buffer): Promise<DecodedSpans> {
  const spans: Span[] = [];
  const invalid = createInvalid();
  const turns = createTurns();
  await eachJsonItem(
    parseJson(body),
    { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' },
    invalid,
    (value, resource, scope) => {
      const span = toSpan(value, resource, scope);
      const problem = judgeSpan(span);
      if (problem !== undefined) throw new DecodeError(problem);
      spans.push(span);
    },
    () => (turns.over() ? turns.next() : undefined),
  );
  return { spans, invalid };
}

function toSpan(value: JsonObject, resource: Attributes, scope: OtlpScope): Span {
  const events: SpanEvent[] = [];
  eachObject(value, 'events', (event) => {
    events.push({
      timeNs: uint64Field(event, 'timeUnixNano'),
      name: textField(event, 'name'),
      attributes: attributesField(event, 'attributes'),
    });
  });
  const links: SpanLink[] = [];
  eachObject(value, 'links', (link) => {
    links.push({
      traceId: idField(link, 'traceId'),
      spanId: idField(link, 'spanId'),
      attributes: attributesField(link, 'attributes'),
    });
  });
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
    attributes: attributesField(value, 'attributes'),
    scope,
    events,
    links,
    traceState: textField(value, 'traceState'),
    flags: smallField(value, 'flags'),
    place: nowhere,
  };
}
