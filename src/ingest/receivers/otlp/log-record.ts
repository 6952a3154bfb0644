import {
  type Attributes,
  type AttributeValue,
  attributeText,
  type LogRecord,
  noAttributes,
  nowhere,
} from '../../../model/index.ts';
import { validSpanId, validTraceId } from './decoded.ts';
import type { OtlpScope } from './protobuf-common.ts';

/** A log record's fields as OTLP has them, in either encoding. */
export interface RawLogRecord {
  timeNs: bigint;
  observedNs: bigint;
  severity: number;
  severityText: string;
  body: AttributeValue;
  attributes: Map<string, AttributeValue> | undefined;
  eventName: string;
  traceId: string;
  spanId: string;
  flags: number;
}

export function emptyRawLog(): RawLogRecord {
  return {
    timeNs: 0n,
    observedNs: 0n,
    severity: 0,
    severityText: '',
    body: '',
    attributes: undefined,
    eventName: '',
    traceId: '',
    spanId: '',
    flags: 0,
  };
}

/** A record without a time happened when it was observed, and was observed now when it does not say. */
export function toLogRecord(raw: RawLogRecord, resource: Attributes, scope: OtlpScope, nowNs: bigint): LogRecord {
  let attributes = raw.attributes;
  if (raw.eventName !== '' && !attributes?.has('event.name')) {
    attributes = new Map(attributes ?? []).set('event.name', raw.eventName);
  }
  // Fluent Bit sends its whole record as the body; where it came from must be found where others put it.
  if (raw.body !== null && typeof raw.body === 'object' && 'kind' in raw.body) {
    const origin = raw.body.entries.get('kubernetes');
    if (origin !== undefined && !attributes?.has('kubernetes')) {
      attributes = new Map(attributes ?? []).set('kubernetes', origin);
    }
  }
  const observedNs = raw.observedNs || nowNs;
  return {
    timeNs: raw.timeNs || observedNs,
    observedNs,
    severity: raw.severity >= 0 && raw.severity <= 24 ? raw.severity : 0,
    severityText: raw.severityText,
    body: attributeText(raw.body),
    resource,
    attributes: attributes ?? noAttributes,
    scope,
    traceId: validTraceId(raw.traceId),
    spanId: validSpanId(raw.spanId),
    flags: raw.flags,
    place: nowhere,
  };
}
