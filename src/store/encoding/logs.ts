import type { LogRecord } from '../../model/index.ts';
import { encodeBlock, LowCardinalityColumn, PlainColumn, TextColumn } from '../clickhouse/native/encode.ts';
import { AttributeColumns, PlaceColumns, ScopeColumns, StreamHash } from './attributes.ts';

export function encodeLogs(logs: readonly LogRecord[]): Buffer {
  const time = new PlainColumn("DateTime64(9, 'UTC')");
  const observed = new PlainColumn("DateTime64(9, 'UTC')");
  const place = new PlaceColumns();
  const severity = new PlainColumn('UInt8');
  const severityText = new LowCardinalityColumn();
  const body = new TextColumn();
  const traceId = new PlainColumn('FixedString(16)');
  const spanId = new PlainColumn('FixedString(8)');
  const flags = new PlainColumn('UInt32');
  const streamId = new PlainColumn('UInt64');
  const resource = new AttributeColumns();
  const attributes = new AttributeColumns();
  const scope = new ScopeColumns();
  const streams = new StreamHash();
  for (const log of logs) {
    time.values.bigint64(log.timeNs);
    observed.values.bigint64(log.observedNs);
    place.push(log.place);
    severity.values.byte(log.severity);
    severityText.push(log.severityText);
    body.push(log.body);
    traceId.values.hex(log.traceId, 16);
    spanId.values.hex(log.spanId, 8);
    flags.values.uint32(log.flags);
    const stream = streams.of(log.place.cluster, log.resource);
    streamId.values.uint32(stream.low);
    streamId.values.uint32(stream.high);
    resource.push(log.resource);
    attributes.push(log.attributes);
    scope.push(log.scope);
  }
  return encodeBlock(logs.length, {
    time,
    observed,
    ...place.all(),
    severity,
    severity_text: severityText,
    body,
    trace_id: traceId,
    span_id: spanId,
    flags,
    stream_id: streamId,
    resource: resource.texts,
    resource_types: resource.types,
    attributes: attributes.texts,
    attribute_types: attributes.types,
    ...scope.all(),
  });
}
