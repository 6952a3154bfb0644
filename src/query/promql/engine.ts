import type { Clock } from '../../base/index.ts';
import type { LabelSet, Scope } from '../../model/index.ts';
import type { MetricSource } from '../sources/index.ts';

/** Answers PromQL as Prometheus 3 does, over any metric source. Stateless between queries. */
export interface PromqlEngine {
  /** Throws PromqlError. */
  instant(query: InstantQuery): Promise<QueryResult>;
  /** Throws PromqlError. `startMs` and `endMs` are both included. */
  range(query: RangeQuery): Promise<QueryResult>;
}

export interface PromqlEngineOptions {
  source: MetricSource;
  clock: Clock;
  limits?: Partial<PromqlLimits>;
}

export interface PromqlLimits {
  seconds: number;
  memoryBytes: number;
  /** Series that one selector may match. */
  series: number;
  /** Samples and points that one query may hold or compute. */
  samples: number;
}

interface QueryCommon {
  query: string;
  scope: Scope;
  /** How far an instant selector looks back; 5 minutes when not given. */
  lookbackMs?: number;
  /** Ends the query; the error is then of kind `canceled`. */
  signal?: AbortSignal;
  /** Shortens the engine's own time limit. */
  timeoutMs?: number;
}

export interface InstantQuery extends QueryCommon {
  timeMs: number;
}

export interface RangeQuery extends QueryCommon {
  startMs: number;
  endMs: number;
  stepMs: number;
}

export interface QueryResult {
  value: QueryValue;
  /** Texts as Prometheus words them, with position. */
  warnings: string[];
  infos: string[];
  stats: QueryStats;
}

export interface QueryStats {
  /** Samples read from the source. */
  samples: number;
  series: number;
  /** Reads that the source was asked for. */
  queries: number;
}

export type QueryValue =
  | { kind: 'vector'; samples: VectorSample[] }
  | { kind: 'matrix'; series: MatrixSeries[] }
  | { kind: 'scalar'; timeMs: number; value: number }
  | { kind: 'string'; timeMs: number; value: string };

export interface VectorSample {
  labels: LabelSet;
  timeMs: number;
  value: number;
}

/** Points in order of time; missing points are left out. */
export interface MatrixSeries {
  labels: LabelSet;
  timesMs: Float64Array;
  values: Float64Array;
}
