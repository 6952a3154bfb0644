import { isUtf8 } from 'node:buffer';
import {
  type Attributes,
  type AttributeValue,
  attributeText,
  type InstrumentationScope,
  type LogRecord,
  noAttributes,
  nowhere,
} from '../../../model/index.ts';
import { noteDropped, storableTime, validSpanId, validTraceId } from './decoded.ts';

/** A log record's fields as OTLP has them, in either encoding. */
export interface RawLogRecord {
  timeNs: bigint;
  observedNs: bigint;
  severity: number;
  severityText: string;
  body: AttributeValue;
  attributes: Map<string, AttributeValue> | undefined;
  /** Attributes that were left out. */
  dropped: number;
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
    dropped: 0,
    eventName: '',
    traceId: '',
    spanId: '',
    flags: 0,
  };
}

export function isWithoutTime({ timeNs, observedNs }: RawLogRecord): boolean {
  return timeNs === 0n && observedNs === 0n;
}

/** A record without a time happened when it was observed, and was observed now when it does not say. */
export function toLogRecord(
  raw: RawLogRecord,
  resource: Attributes,
  scope: InstrumentationScope,
  nowNs: bigint,
): LogRecord {
  let attributes = raw.attributes;
  if (raw.eventName !== '' && !attributes?.has('event.name')) {
    attributes = new Map(attributes ?? []).set('event.name', raw.eventName);
  }
  if (raw.dropped > 0) {
    attributes ??= new Map();
    noteDropped(attributes, 'attributes', raw.dropped);
  }
  // Fluent Bit sends its whole record as the body; where it came from must be found where others put it.
  if (raw.body !== null && typeof raw.body === 'object' && 'kind' in raw.body) {
    const origin = raw.body.entries.get('kubernetes');
    if (origin !== undefined && !attributes?.has('kubernetes')) {
      attributes = new Map(attributes ?? []).set('kubernetes', origin);
    }
  }
  const observedNs = storableTime(raw.observedNs || nowNs);
  return {
    timeNs: raw.timeNs || observedNs,
    observedNs,
    severity: raw.severity >= 0 && raw.severity <= 24 ? raw.severity : 0,
    severityText: raw.severityText,
    body: attributeText(readable(raw.body)),
    resource,
    attributes: attributes ?? noAttributes,
    scope,
    traceId: validTraceId(raw.traceId),
    spanId: validSpanId(raw.spanId),
    flags: raw.flags,
    place: nowhere,
  };
}

/** Bytes that are text are shown, searched and redacted as text; others become base64. */
function readable(value: AttributeValue): AttributeValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return isUtf8(value) ? Buffer.from(value).toString() : value;
  if ('kind' in value) {
    return { kind: 'map', entries: new Map([...value.entries].map(([key, item]) => [key, readable(item)])) };
  }
  return value.map(readable);
}
