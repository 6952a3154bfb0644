import type { Attributes, LogRecord } from '../../../model/index.ts';
import { nowhere } from '../../../model/index.ts';

/** One line of a push, in either encoding. */
export interface Entry {
  timeNs: bigint;
  line: string;
  /** Structured metadata. */
  metadata: Attributes;
}

/** A push as decoded: records in the order they came, and what was wrong with others. */
export interface PushRequest {
  logs: LogRecord[];
  /** Entries or whole streams that are not valid, by their sentence; `count` in lines. */
  invalid: { count: number; because: string }[];
}

const scope = { name: '', version: '' };

/** Fields by which agents already say trace and span; as columns they join logs to traces. */
const TRACE_ID = ['trace_id', 'traceID', 'traceId', 'TraceId', 'traceid'];
const SPAN_ID = ['span_id', 'spanID', 'spanId', 'SpanId', 'spanid'];

export function toRecord(resource: Attributes, entry: Entry, observedNs: bigint): LogRecord {
  const level =
    textOf(entry.metadata, ['detected_level', 'severity_text', 'level']) ||
    textOf(resource, ['detected_level', 'level', 'severity']);
  const traceId = textOf(entry.metadata, TRACE_ID);
  const spanId = textOf(entry.metadata, SPAN_ID);
  return {
    timeNs: entry.timeNs,
    observedNs,
    severity: 0,
    severityText: level,
    body: entry.line,
    resource,
    attributes: entry.metadata,
    scope,
    traceId: /^[0-9a-fA-F]{32}$/.test(traceId) ? traceId.toLowerCase() : '',
    spanId: /^[0-9a-fA-F]{16}$/.test(spanId) ? spanId.toLowerCase() : '',
    flags: 0,
    place: nowhere,
  };
}

function textOf(attributes: Attributes, names: readonly string[]): string {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** Why a stream cannot be stored, or undefined. */
export function judgeStream(labels: Attributes, text: () => string): string | undefined {
  return labels.size === 0 ? `error at least one label pair is required per stream: ${text()}` : undefined;
}
