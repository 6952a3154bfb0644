import type { LabelSet, NativeHistogram } from '../../model/index.ts';

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
  /** NaN when it is a native histogram. */
  value: number;
  histogram?: NativeHistogram;
}

/** Points in order of time; missing points are left out. */
export interface MatrixSeries {
  labels: LabelSet;
  timesMs: Float64Array;
  values: Float64Array;
  /** Points that are native histograms, which are not among the others. */
  histograms?: { timeMs: number; value: NativeHistogram }[];
}
