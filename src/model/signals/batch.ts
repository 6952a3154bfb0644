import type { Attributes } from './attributes.ts';
import type { Exemplar, HistogramBatch } from './histogram.ts';
import type { Place } from './place.ts';
import type { Series } from './series.ts';

/** What one request, scrape or watch turn brought: any mix of signals. Goes through the pipeline as one. */
export interface SignalBatch {
  samples?: SampleBatch;
  /** Not newer than what came before of their series, so they may be stored already: the stored ones stay. Set by the sink. */
  lateSamples?: SampleBatch;
  histograms?: HistogramBatch;
  exemplars?: Exemplar[];
  metadata?: MetricMetadata[];
  logs?: LogRecord[];
  spans?: Span[];
  objects?: ObjectVersion[];
  /** Something in it had no time of its own and took that of its arrival, so the same body sent again says something else. */
  arrivalTimed?: boolean;
}

/** Samples in columns: sample `i` belongs to `series[seriesOf[i]]`. */
export interface SampleBatch {
  series: Series[];
  seriesOf: Uint32Array;
  /** Milliseconds since the epoch, whole numbers; may be zero or negative. */
  timesMs: Float64Array;
  /** Bits are exact, stale markers included: copy with `set` or as bits, never through a number. */
  values: Float64Array;
  /** When the counting of each sample's series began, in milliseconds; NaN: not known. Parallel to `values`. */
  startsMs?: Float64Array;
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'info' | 'stateset' | 'unknown';

export interface MetricMetadata {
  /** The metric family's name, without `_total`, `_bucket`, `_sum`, `_count` suffixes of its series where the source knows. */
  family: string;
  type: MetricType;
  help: string;
  unit: string;
}

export interface LogRecord {
  /** Nanoseconds since the epoch. */
  timeNs: bigint;
  observedNs: bigint;
  /** OTLP severity number 1 to 24, 0 when not known. */
  severity: number;
  severityText: string;
  body: string;
  /** OTLP resource attributes, or the stream labels of a Loki push. With time and body they are a line's identity. */
  resource: Attributes;
  /** OTLP record attributes, or Loki structured metadata. */
  attributes: Attributes;
  scope: InstrumentationScope;
  /** Lower-case hex of 32 and 16 digits, or empty. */
  traceId: string;
  spanId: string;
  flags: number;
  place: Place;
}

/** The library that made a signal. */
export interface InstrumentationScope {
  name: string;
  version: string;
  attributes?: Attributes;
  /** Of the conventions that the names follow: the scope's, or else the resource's. */
  schemaUrl?: string;
}

export type SpanKind = 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type SpanStatus = 'unset' | 'ok' | 'error';

export interface Span {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  kind: SpanKind;
  startNs: bigint;
  endNs: bigint;
  status: SpanStatus;
  statusMessage: string;
  resource: Attributes;
  attributes: Attributes;
  scope: InstrumentationScope;
  events: readonly SpanEvent[];
  links: readonly SpanLink[];
  traceState: string;
  flags: number;
  place: Place;
}

export interface SpanEvent {
  timeNs: bigint;
  name: string;
  attributes: Attributes;
}

export interface SpanLink {
  traceId: string;
  spanId: string;
  /** W3C trace state of the span that is linked to. */
  traceState?: string;
  flags?: number;
  attributes: Attributes;
}

/** A Kubernetes object as it was from `validFromMs` on. */
export interface ObjectVersion {
  cluster: string;
  uid: string;
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  /** When this version began to hold: the event's time where known, the time of arrival otherwise. */
  validFromMs: number;
  /** The object ended at `validFromMs`; `body` is its last known form. */
  deleted: boolean;
  /** The normalised object (no heartbeats, no managed fields) as JSON. */
  body: string;
}

export function emptySamples(): SampleBatch {
  return { series: [], seriesOf: new Uint32Array(0), timesMs: new Float64Array(0), values: new Float64Array(0) };
}

/** How many signals of each kind a batch holds. Native histograms count as samples. */
export function batchCounts(batch: SignalBatch): Record<SignalKind, number> {
  return {
    samples: [batch.samples, batch.lateSamples, batch.histograms].reduce(
      (sum, part) => sum + (part?.values.length ?? 0),
      0,
    ),
    exemplars: batch.exemplars?.length ?? 0,
    logs: batch.logs?.length ?? 0,
    spans: batch.spans?.length ?? 0,
    objects: batch.objects?.length ?? 0,
  };
}

/** What is counted as one kind of signal. */
export type SignalKind = 'samples' | 'exemplars' | 'logs' | 'spans' | 'objects';
