import type { Attributes, Span } from '../../model/index.ts';
import {
  ArrayColumn,
  encodeBlock,
  LowCardinalityColumn,
  MapColumn,
  PlainColumn,
  TextColumn,
} from '../clickhouse/native/encode.ts';
import { AttributeColumns, PlaceColumns, pushTexts, pushTypes, ScopeColumns } from './attributes.ts';

export function encodeSpans(spans: readonly Span[]): Buffer {
  const start = new PlainColumn("DateTime64(9, 'UTC')");
  const duration = new PlainColumn('Int64');
  const place = new PlaceColumns();
  const name = new LowCardinalityColumn();
  const kind = new LowCardinalityColumn();
  const status = new LowCardinalityColumn();
  const statusMessage = new TextColumn();
  const traceId = new PlainColumn('FixedString(16)');
  const spanId = new PlainColumn('FixedString(8)');
  const parentSpanId = new PlainColumn('FixedString(8)');
  const resource = new AttributeColumns();
  const attributes = new AttributeColumns();
  const scope = new ScopeColumns();
  const events = new EventColumns();
  const links = new LinkColumns();
  const traceState = new TextColumn();
  const flags = new PlainColumn('UInt32');
  for (const span of spans) {
    start.values.bigint64(span.startNs);
    duration.values.bigint64(span.endNs - span.startNs);
    place.push(span.place);
    name.push(span.name);
    kind.push(span.kind);
    status.push(span.status);
    statusMessage.push(span.statusMessage);
    traceId.values.hex(span.traceId, 16);
    spanId.values.hex(span.spanId, 8);
    parentSpanId.values.hex(span.parentSpanId, 8);
    resource.push(span.resource);
    attributes.push(span.attributes);
    scope.push(span.scope);
    events.push(span.events);
    links.push(span.links);
    traceState.push(span.traceState);
    flags.values.uint32(span.flags);
  }
  return encodeBlock(spans.length, {
    start,
    duration_ns: duration,
    ...place.all(),
    name,
    kind,
    status,
    status_message: statusMessage,
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parentSpanId,
    resource: resource.texts,
    resource_types: resource.types,
    attributes: attributes.texts,
    attribute_types: attributes.types,
    ...scope.all(),
    event_times: events.times,
    event_names: events.names,
    event_attributes: events.attributes.texts,
    event_attribute_types: events.attributes.types,
    link_trace_ids: links.traceIds,
    link_span_ids: links.spanIds,
    link_attributes: links.attributes.texts,
    link_attribute_types: links.attributes.types,
    link_trace_states: links.traceStates,
    link_flags: links.flags,
    trace_state: traceState,
    flags,
  });
}

/** Several sets of attributes a row, as texts and types. */
class AttributeListColumns {
  readonly texts = new ArrayColumn(new MapColumn(new LowCardinalityColumn(), new TextColumn()));
  readonly types = new ArrayColumn(new MapColumn(new LowCardinalityColumn(), new LowCardinalityColumn()));

  push(attributes: Attributes): void {
    this.texts.items.push(attributes, (push) => pushTexts(attributes, push));
    this.types.items.push(attributes, (push) => pushTypes(attributes, push));
  }

  endRow(added: number): void {
    this.texts.endRow(added);
    this.types.endRow(added);
  }
}

class EventColumns {
  readonly times = new ArrayColumn(new PlainColumn("DateTime64(9, 'UTC')"));
  readonly names = new ArrayColumn(new LowCardinalityColumn());
  readonly attributes = new AttributeListColumns();

  push(events: Span['events']): void {
    for (const event of events) {
      this.times.items.values.bigint64(event.timeNs);
      this.names.items.push(event.name);
      this.attributes.push(event.attributes);
    }
    this.times.endRow(events.length);
    this.names.endRow(events.length);
    this.attributes.endRow(events.length);
  }
}

class LinkColumns {
  readonly traceIds = new ArrayColumn(new PlainColumn('FixedString(16)'));
  readonly spanIds = new ArrayColumn(new PlainColumn('FixedString(8)'));
  readonly attributes = new AttributeListColumns();
  readonly traceStates = new ArrayColumn(new TextColumn());
  readonly flags = new ArrayColumn(new PlainColumn('UInt32'));

  push(links: Span['links']): void {
    for (const link of links) {
      this.traceIds.items.values.hex(link.traceId, 16);
      this.spanIds.items.values.hex(link.spanId, 8);
      this.attributes.push(link.attributes);
      this.traceStates.items.push(link.traceState ?? '');
      this.flags.items.values.uint32(link.flags ?? 0);
    }
    this.traceIds.endRow(links.length);
    this.spanIds.endRow(links.length);
    this.attributes.endRow(links.length);
    this.traceStates.endRow(links.length);
    this.flags.endRow(links.length);
  }
}
