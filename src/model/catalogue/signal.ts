/**
 * One concept under one name and unit, whatever emits it. Distributions are asked by quantile, counters as rate per
 * second, gauges and shares by value.
 */
export interface CanonicalSignal {
  name: string;
  /** Of the value as it is returned: `s`, `1/s`, `ratio` (0 to 1), `bytes`, `°C`, `W`, `MHz`, `B/s`, `1` for plain counts. */
  unit: string;
  meaning: string;
  direction: 'up-is-bad' | 'down-is-bad' | 'neutral';
  layer: SignalLayer;
  shape: 'distribution' | 'counter' | 'gauge';
  /** How values of several entities become one. A `share` is recomputed from its parts, a distribution from merged buckets. */
  aggregate: 'sum' | 'mean' | 'max' | 'min' | 'quantile' | 'share';
  /** The kind of entity that each series belongs to at its finest. Coarser entities are answered by aggregation over theirs. */
  home: HomeKind;
}

export type SignalLayer = 'infrastructure' | 'kubernetes' | 'serving' | 'telemetry' | 'application';

export type HomeKind = 'pod' | 'gpu' | 'node' | 'workload' | 'service' | 'exporter' | 'collector' | 'cluster';

/** For distributions `p50` to `p99`, `mean`, or `rate` of observations per second. Others know only their one value. */
export type Stat = 'p50' | 'p90' | 'p95' | 'p99' | 'mean' | 'rate';

/** Something that a question needed and did not get, and what would bring it. */
export interface MissingSignal {
  signal: string;
  entity: string;
  why: string;
  fix: string;
}
