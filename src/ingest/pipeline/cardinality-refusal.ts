/** Why a series is not stored. */
export interface CardinalityRefusal {
  reason: 'limit_series' | 'limit_labels';
  metric: string;
  cluster: string;
  /** The label that has the most values, or that is too long; empty when none stands out. */
  label: string;
  /** One sentence; made when somebody wants to read it, since most refusals are only counted. */
  because(): string;
}
