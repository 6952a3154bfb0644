import type { LabelSet } from './labels.ts';

export interface Series {
  /** With `__name__`. Holds a cluster label only if the sender or the configuration set one. */
  labels: LabelSet;
  /** The cluster it is stored under; `unknown` when nobody said. */
  cluster: string;
}
