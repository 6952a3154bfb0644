import type {
  Attributes,
  AttributeValue,
  InstrumentationScope,
  LogRecord,
  Span,
  SpanKind,
  SpanStatus,
} from '../../../model/index.ts';

/** Items that were refused one by one while their neighbours were kept. */
export interface Invalid {
  count: number;
  /** About the first: where and why. */
  example: string;
}

export interface DecodedSpans {
  spans: Span[];
  /** Spans that are kept without a duration, since they end before they start. */
  backwards: Invalid;
  invalid: Invalid;
}

export interface DecodedLogs {
  logs: LogRecord[];
  /** Some of them came without any time and took that of their arrival. */
  arrivalTimed: boolean;
  invalid: Invalid;
}

export interface DecodedMetrics {
  metrics: ResourceMetric[];
  /** Counted in data points where they could be told, else in metrics. */
  invalid: Invalid;
}

/** One OTLP metric with the resource and scope it came under. */
export interface ResourceMetric {
  resource: Attributes;
  scope: InstrumentationScope;
  name: string;
  description: string;
  unit: string;
  data: MetricData;
}

export type MetricData =
  | { kind: 'gauge'; points: NumberPoint[] }
  | { kind: 'sum'; monotonic: boolean; temporality: Temporality; points: NumberPoint[] }
  | { kind: 'histogram'; temporality: Temporality; points: HistogramPoint[] }
  | { kind: 'exponential-histogram'; temporality: Temporality; points: ExponentialPoint[] }
  | { kind: 'summary'; points: SummaryPoint[] }
  | { kind: 'none' };

export type Temporality = 'unspecified' | 'delta' | 'cumulative';

export interface Point {
  attributes: Attributes;
  /** When the counting began; 0: not known. */
  startNs: bigint;
  timeNs: bigint;
  /** The sender says that there is no value: the series ended. */
  noValue: boolean;
}

export interface NumberPoint extends Point {
  value: number;
  exemplars: readonly RawExemplar[];
}

export interface HistogramPoint extends Point {
  count: number;
  sum: number | undefined;
  bucketCounts: number[];
  bounds: number[];
  exemplars: readonly RawExemplar[];
}

/** Bucket `i` of a side covers (base^(offset+i), base^(offset+i+1)], base = 2^(2^-scale). */
export interface ExponentialPoint extends Point {
  count: number;
  sum: number | undefined;
  scale: number;
  zeroCount: number;
  zeroThreshold: number;
  positive: ExponentialBuckets;
  negative: ExponentialBuckets;
  exemplars: readonly RawExemplar[];
}

export interface ExponentialBuckets {
  offset: number;
  counts: number[];
}

export interface SummaryPoint extends Point {
  count: number;
  sum: number;
  quantiles: { quantile: number; value: number }[];
}

export interface RawExemplar {
  /** 0: not given. */
  timeNs: bigint;
  value: number;
  traceId: string;
  spanId: string;
  attributes: Attributes;
}

export const TEMPORALITIES: readonly Temporality[] = ['unspecified', 'delta', 'cumulative'];
export const SPAN_KINDS: readonly SpanKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
export const SPAN_STATUSES: readonly SpanStatus[] = ['unset', 'ok', 'error'];
export const NO_EXEMPLARS: readonly RawExemplar[] = [];

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;
/** The last nanosecond that the store can tell: in the year 2262. */
const LATEST_NS = 2n ** 63n - 1n;

/** Why a span cannot be stored, or undefined. */
export function judgeSpan(span: Span): string | undefined {
  if (!TRACE_ID.test(span.traceId)) return `its trace id "${span.traceId.slice(0, 40)}" is not 16 bytes, or all zero`;
  if (!SPAN_ID.test(span.spanId)) return `its span id "${span.spanId.slice(0, 40)}" is not 8 bytes, or all zero`;
  if (span.startNs > LATEST_NS || span.endNs > LATEST_NS) return 'its time is later than any that can be stored';
  return undefined;
}

/**
 * Completes the times of a span. One that has not ended, or ends before it starts, says nothing about how long it takes;
 * an event without a time happened when the span started. True when the end lies before the start.
 */
export function completeTimes(span: Span): boolean {
  for (const event of span.events) if (event.timeNs === 0n) event.timeNs = storableTime(span.startNs);
  const isBackwards = span.endNs !== 0n && span.endNs < span.startNs;
  if (span.endNs < span.startNs) span.endNs = span.startNs;
  return isBackwards;
}

/** Why a histogram's bounds are none, or undefined. */
export function judgeBounds(bounds: readonly number[]): string | undefined {
  const at = bounds.findIndex(
    (bound, i) => Number.isNaN(bound) || bound <= (bounds[i - 1] ?? Number.NEGATIVE_INFINITY),
  );
  if (at < 0) return undefined;
  if (Number.isNaN(bounds[at])) return 'NaN is no bound of a histogram';
  if (at === 0) return `${bounds[at]} is no bound of a histogram`;
  return `bounds of a histogram must grow, but ${bounds[at]} comes after ${bounds[at - 1]}`;
}

export const NO_NUMBER = 'a point has neither asInt nor asDouble, nor the flag "no recorded value"';

/** Times of events are not worth a span. */
export function storableTime(timeNs: bigint): bigint {
  return timeNs > LATEST_NS ? LATEST_NS : timeNs;
}

/** Ids of a log record are kept when they are ids; a record without them is still a record. */
export function validTraceId(id: string): string {
  return TRACE_ID.test(id) ? id : '';
}

export function validSpanId(id: string): string {
  return SPAN_ID.test(id) ? id : '';
}

/** Says what its sender, or a limit here, left out, under the names that OpenTelemetry gives it outside of OTLP. */
export function noteDropped(into: Map<string, AttributeValue>, what: 'attributes' | 'events' | 'links', count: number) {
  if (count > 0) into.set(`otel.dropped_${what}_count`, BigInt(count));
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
