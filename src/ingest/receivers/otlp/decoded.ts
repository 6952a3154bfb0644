import type { Attributes, LogRecord, Span, SpanKind, SpanStatus } from '../../../model/index.ts';
import type { OtlpScope } from './protobuf-common.ts';

/** Items that were refused one by one while their neighbours were kept. */
export interface Invalid {
  count: number;
  /** About the first: where and why. */
  example: string;
}

export interface DecodedSpans {
  spans: Span[];
  invalid: Invalid;
}

export interface DecodedLogs {
  logs: LogRecord[];
  invalid: Invalid;
}

export interface DecodedMetrics {
  metrics: ResourceMetric[];
  /** Counted in data points. */
  invalid: Invalid;
}

/** One OTLP metric with the resource and scope it came under. */
export interface ResourceMetric {
  resource: Attributes;
  scope: OtlpScope;
  name: string;
  description: string;
  unit: string;
  data: MetricData;
}

export type MetricData =
  | { kind: 'gauge'; points: NumberPoint[] }
  | { kind: 'sum'; monotonic: boolean; temporality: Temporality; points: NumberPoint[] }
  | { kind: 'histogram'; temporality: Temporality; points: HistogramPoint[] }
  | { kind: 'summary'; points: SummaryPoint[] }
  | { kind: 'exponential-histogram'; count: number }
  | { kind: 'none' };

export type Temporality = 'unspecified' | 'delta' | 'cumulative';

export interface Point {
  attributes: Attributes;
  timeNs: bigint;
  /** The sender says that there is no value: the series ended. */
  noValue: boolean;
}

export interface NumberPoint extends Point {
  value: number;
}

export interface HistogramPoint extends Point {
  count: number;
  sum: number | undefined;
  bucketCounts: number[];
  bounds: number[];
}

export interface SummaryPoint extends Point {
  count: number;
  sum: number;
  quantiles: { quantile: number; value: number }[];
}

export const TEMPORALITIES: readonly Temporality[] = ['unspecified', 'delta', 'cumulative'];
export const SPAN_KINDS: readonly SpanKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
export const SPAN_STATUSES: readonly SpanStatus[] = ['unset', 'ok', 'error'];

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** Why a span cannot be stored, or undefined. */
export function judgeSpan(span: Span): string | undefined {
  if (!TRACE_ID.test(span.traceId)) return `its trace id "${span.traceId.slice(0, 40)}" is not 16 bytes, or all zero`;
  if (!SPAN_ID.test(span.spanId)) return `its span id "${span.spanId.slice(0, 40)}" is not 8 bytes, or all zero`;
  return undefined;
}

/** Ids of a log record are kept when they are ids; a record without them is still a record. */
export function validTraceId(id: string): string {
  return TRACE_ID.test(id) ? id : '';
}

export function validSpanId(id: string): string {
  return SPAN_ID.test(id) ? id : '';
}

export function createInvalid(): Invalid & { add(example: string, count?: number): void } {
  return {
    count: 0,
    example: '',
    add(example, count = 1) {
      this.count += count;
      this.example ||= example;
    },
  };
}
