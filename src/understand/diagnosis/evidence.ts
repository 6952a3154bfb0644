import type { EntityKind, EntityRef, MissingSignal, Stat } from '../../model/index.ts';

/**
 * Where diagnosis gets its numbers. A check names what it needs as data; whoever implements this fetches it. What cannot
 * be had is named in the answer and never thrown.
 */
export interface EvidenceSource {
  fetch(request: EvidenceRequest): Promise<EvidenceAnswer>;
  /** What this source has spent so far. */
  spent(): { queries: number; seconds: number };
}

export interface EvidenceRequest {
  /** Canonical signal. */
  signal: string;
  /** The entities asked about; with `by` their members of that kind, one series each, else one series for all together. */
  of: readonly EntityRef[];
  by?: EntityKind;
  stat?: Stat;
  from: number;
  to: number;
  /** Milliseconds between points; `from` is the first. */
  step: number;
  /** Range of rates in seconds. */
  rateSeconds: number;
}

export interface EvidenceAnswer {
  unit: string;
  series: EvidenceSeries[];
  queries: { system: string; language: 'promql' | 'api'; text: string }[];
  missing: MissingSignal[];
}

/** Values on the grid of the request: `values[i]` belongs to `from + i * step`; NaN where there is none. */
export interface EvidenceSeries {
  entity: EntityRef;
  labels: Readonly<Record<string, string>>;
  values: Float64Array;
}
