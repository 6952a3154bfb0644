import type { Span } from '../../model/index.ts';
import {
  ArrayColumn,
  encodeBlock,
  LowCardinalityColumn,
  MapColumn,
  PlainColumn,
  TextColumn,
} from '../clickhouse/native/encode.ts';
import { AttributeColumns, PlaceColumns, pushTexts } from './attributes.ts';

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
  const scopeName = new LowCardinalityColumn();
  const scopeVersion = new LowCardinalityColumn();
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
    scopeName.push(span.scope.name);
    scopeVersion.push(span.scope.version);
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
    scope_name: scopeName,
    scope_version: scopeVersion,
    event_times: events.times,
    event_names: events.names,
    event_attributes: events.attributes,
    link_trace_ids: links.traceIds,
    link_span_ids: links.spanIds,
    link_attributes: links.attributes,
    trace_state: traceState,
    flags,
  });
}

function attributeMaps(): ArrayColumn<MapColumn> {
  return new ArrayColumn(new MapColumn(new LowCardinalityColumn(), new TextColumn()));
}

class EventColumns {
  readonly times = new ArrayColumn(new PlainColumn("DateTime64(9, 'UTC')"));
  readonly names = new ArrayColumn(new LowCardinalityColumn());
  readonly attributes = attributeMaps();

  push(events: Span['events']): void {
    for (const event of events) {
      this.times.items.values.bigint64(event.timeNs);
      this.names.items.push(event.name);
      this.attributes.items.push(event.attributes, (push) => pushTexts(event.attributes, push));
    }
    this.times.endRow(events.length);
    this.names.endRow(events.length);
    this.attributes.endRow(events.length);
  }
}

class LinkColumns {
  readonly traceIds = new ArrayColumn(new PlainColumn('FixedString(16)'));
  readonly spanIds = new ArrayColumn(new PlainColumn('FixedString(8)'));
  readonly attributes = attributeMaps();

  push(links: Span['links']): void {
    for (const link of links) {
      this.traceIds.items.values.hex(link.traceId, 16);
      this.spanIds.items.values.hex(link.spanId, 8);
      this.attributes.items.push(link.attributes, (push) => pushTexts(link.attributes, push));
    }
    this.traceIds.endRow(links.length);
    this.spanIds.endRow(links.length);
    this.attributes.endRow(links.length);
  }
}
