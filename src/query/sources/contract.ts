import type { Exemplar, LabelSet, MetricMetadata, NativeHistogram, Scope, TimeRange } from '../../model/index.ts';

/**
 * Where a query engine gets metric samples from: the embedded store, a team's own Prometheus, or memory in tests.
 * Every read names its scope, and the source itself enforces it. One contract suite runs against every implementation.
 *
 * `cluster` may be matched on every series: where a series carries no such label, the cluster it is stored under is
 * what its matchers see. In a scope that names namespaces, a series without a `namespace` label is not visible.
 */
export interface MetricSource {
  /** Samples of the matching series in columns. Series without a sample in the window are left out. */
  samples(request: SampleRequest, read: ReadOptions): Promise<SampleColumns>;
  /** Evaluates a function on a grid where the samples are; only for sources that can. */
  readonly grid?: GridCapability;
  /** Exemplars of the matching series, series after series, each in order of time. */
  exemplars(request: ExemplarRequest, read: ReadOptions): Promise<Exemplar[]>;
  /** Label sets of the series that match any of the selectors and have samples near the range. */
  series(request: LabelRequest, read: ReadOptions): Promise<Limited<LabelSet>>;
  /** Sorted. */
  labelNames(request: LabelRequest, read: ReadOptions): Promise<Limited<string>>;
  /** Sorted. */
  labelValues(request: LabelRequest & { name: string }, read: ReadOptions): Promise<Limited<string>>;
  metadata(request: MetadataRequest, read: ReadOptions): Promise<MetricMetadata[]>;
}

export interface Matcher {
  name: string;
  op: '=' | '!=' | '=~' | '!~';
  value: string;
}

export interface SampleRequest {
  /** All must match. A missing label has the value `''`. */
  matchers: readonly Matcher[];
  /** Samples with `afterMs < time <= throughMs`: left-open, as PromQL's windows are. */
  afterMs: number;
  throughMs: number;
  scope: Scope;
}

/**
 * Series after series, each in order of time and with one sample per millisecond:
 * samples `offsets[i]` to `offsets[i + 1]` belong to `series[i]`. Stale markers are there, bit for bit.
 */
export interface SampleColumns {
  series: readonly LabelSet[];
  offsets: Uint32Array;
  timesMs: Float64Array;
  values: Float64Array;
  /** Samples that are native histograms, by their place; their values mean nothing. Left out when there are none. */
  histograms?: (NativeHistogram | undefined)[];
}

export interface GridCapability {
  readonly functions: ReadonlySet<GridFunction>;
  readonly aggregations: ReadonlySet<GridAggregation>;
  evaluate(request: GridRequest, read: ReadOptions): Promise<GridColumns>;
}

/** `last` is an instant selector: the newest sample of the window, none when that is a stale marker. */
export type GridFunction = (typeof GRID_FUNCTIONS)[number];
export const GRID_FUNCTIONS = ['last', 'rate', 'increase', 'delta', 'irate', 'idelta', 'resets'] as const;
export type GridAggregation = 'sum' | 'count';

export interface GridRequest {
  matchers: readonly Matcher[];
  scope: Scope;
  function: GridFunction;
  /** The window of each point is `(time - windowMs, time]`. */
  windowMs: number;
  /** Points at `startMs + i * stepMs` for `i` in `[0, steps)`, in the time of the samples: offsets are already applied. */
  startMs: number;
  stepMs: number;
  steps: number;
  /** Leave to fold the series into groups where they are; the source does so where that saves more than it costs. */
  aggregate?: { op: GridAggregation; grouping: Grouping };
}

export interface Grouping {
  kind: 'by' | 'without';
  labels: readonly string[];
}

/** Point `i` of series `s` is `values[s * steps + i]`; `present` has a zero where there is none. */
export interface GridColumns {
  series: readonly LabelSet[];
  /** The rows are groups of what was asked for in `aggregate`, and sums may differ in the order of their terms. */
  folded: boolean;
  values: Float64Array;
  present: Uint8Array;
  /** How many stored samples were read for it, as far as the source knows. */
  samplesRead: number;
  /** Some series have native histograms in the window, which a grid can't hold: read the samples instead. */
  incomplete?: true;
}

export interface ExemplarRequest {
  /** Any of these must match. */
  selectors: readonly (readonly Matcher[])[];
  /** Both bounds belong to it. */
  range: TimeRange;
  scope: Scope;
}

export interface LabelRequest {
  /** Any of these must match; none given means every series of the scope. */
  selectors: readonly (readonly Matcher[])[];
  range?: TimeRange;
  scope: Scope;
  limit?: number;
}

export interface Limited<T> {
  items: T[];
  /** There was more than `limit`. */
  truncated: boolean;
}

export interface MetadataRequest {
  family?: string;
  limit?: number;
  scope: Scope;
}

/** What a read may cost; going over is a `SourceLimitError`, never a silent cut. */
export interface ReadOptions {
  limits: { seconds: number; memoryBytes: number; series: number; samples: number };
  signal?: AbortSignal;
}

export class SourceLimitError extends Error {
  override name = 'SourceLimitError';
  readonly limit: 'time' | 'memory' | 'series' | 'samples';
  constructor(limit: SourceLimitError['limit'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.limit = limit;
  }
}
