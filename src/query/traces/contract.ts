import type { Scope, Span, TimeRange } from '../../model/index.ts';

/** Traces and what their spans say about services. A scope that names namespaces sees only the spans in them. */
export interface TraceReader {
  search(query: TraceSearch, read: TraceRead): Promise<TraceSummary[]>;
  /** Spans in order of start; empty when there are none that the scope may see. */
  byId(traceId: string, read: TraceRead): Promise<Span[]>;
  /** Who calls whom, from the spans of the range. */
  edges(query: { range: TimeRange; cluster?: string }, read: TraceRead): Promise<ServiceEdgeStats[]>;
  /** What each service served, with the places its spans came from. */
  services(query: { range: TimeRange; cluster?: string }, read: TraceRead): Promise<ServiceStats[]>;
  /** One number per service and step, over the spans that started in the step before each point. */
  measure(query: SpanMeasureQuery, read: TraceRead): Promise<SpanSeries[]>;
}

export interface SpanMeasureQuery {
  /** Points at `from`, `from + stepMs` … up to `to`. */
  range: TimeRange;
  stepMs: number;
  cluster: string;
  services: readonly string[];
  /** `service`: what they served; `edge`: what they called, as they saw it. */
  side: 'service' | 'edge';
  /** For `edge`: only calls to this service, or to this address. */
  callee?: string;
  /** Requests and errors per second, durations in seconds. */
  measure: 'requests' | 'errors' | 'duration';
  /** Of durations. */
  stat?: 'p50' | 'p90' | 'p95' | 'p99' | 'mean';
}

/** Points without spans are left out. */
export interface SpanSeries {
  service: string;
  timesMs: Float64Array;
  values: Float64Array;
}

export interface TraceRead {
  scope: Scope;
  signal?: AbortSignal;
}

export interface TraceSearch {
  range: TimeRange;
  /** At least one span comes from any of these places. */
  places?: readonly TracePlace[];
  /** Seconds from the first start to the last end, among the spans of the range. */
  minDurationSeconds?: number;
  /** At least one span ended in an error. */
  errorsOnly?: boolean;
  order: 'newest' | 'slowest';
  limit: number;
}

/** Given parts must be equal, left-out parts may be anything. */
export interface TracePlace {
  cluster: string;
  namespace?: string;
  workload?: string;
  pods?: readonly string[];
  node?: string;
  service?: string;
}

export interface TraceSummary {
  traceId: string;
  /** Of the span without a parent, or the earliest one when that is not there. */
  rootService: string;
  rootName: string;
  startMs: number;
  durationSeconds: number;
  spans: number;
  errors: number;
}

/** Calls from one service to another or, when the callee sends no spans, to the address or system that was called. */
export interface ServiceEdgeStats {
  cluster: string;
  from: string;
  to: { kind: 'service'; cluster: string; name: string } | { kind: 'dependency'; name: string; system: string };
  requests: number;
  errors: number;
  /** Sum over the calls, as the caller saw them. */
  durationSeconds: number;
}

export interface ServiceStats {
  cluster: string;
  service: string;
  namespace: string;
  workload: string;
  pod: string;
  requests: number;
  errors: number;
  durationSeconds: number;
  /** Newest span's start. */
  lastSeenMs: number;
}
