import type { SymptomKind } from '../../model/index.ts';
import type { Need } from './need.ts';

/** A signal in which users' trouble shows. */
export interface Candidate {
  kind: SymptomKind;
  /** Of the whole focus. */
  need: Need;
  /**
   * Something that must have moved with it. Quantiles of histograms jump between bucket bounds when hardly anything
   * happened; the mean knows no buckets.
   */
  confirm?: Need;
  byPod?: Need;
  direction: 'up' | 'down';
  /** As a factor, or for `workload.ready` as a number of replicas. */
  least: number;
}

/** A latency that grows by less is within what operators call normal. */
export const LEAST_LATENCY_FACTOR = 1.3;

export const TTFT: Need = { signal: 'inference.ttft', of: 'self', stat: 'p95' };

/** What candidates are weighed against. */
export const REQUESTS = {
  engine: { signal: 'inference.requests', of: 'self', optional: true },
  byPod: { signal: 'inference.requests', of: 'workload', by: 'pod', optional: true },
  service: { signal: 'service.requests', of: 'services', optional: true },
  desired: { signal: 'workload.desired', of: 'workload', optional: true },
} as const satisfies Record<string, Need>;

const CANDIDATES: readonly Candidate[] = [
  latency({ signal: 'inference.itl', of: 'self', stat: 'p95' }),
  latency(TTFT),
  // Whole requests take as long as their outputs are: their quantile tells of lengths, their mean is enough.
  latency({ signal: 'inference.e2e', of: 'self', stat: 'mean' }),
  {
    kind: 'latency',
    need: { signal: 'service.duration', of: 'services', stat: 'p95', optional: true },
    confirm: { signal: 'service.duration', of: 'services', stat: 'mean', optional: true },
    direction: 'up',
    least: LEAST_LATENCY_FACTOR,
  },
  {
    kind: 'errors',
    need: { signal: 'inference.errors', of: 'self', optional: true },
    byPod: { signal: 'inference.errors', of: 'workload', by: 'pod', optional: true },
    direction: 'up',
    least: 2,
  },
  { kind: 'errors', need: { signal: 'service.errors', of: 'services', optional: true }, direction: 'up', least: 2 },
  {
    kind: 'availability',
    need: { signal: 'workload.ready', of: 'workload', optional: true },
    direction: 'down',
    least: 1,
  },
  {
    kind: 'throughput',
    need: { signal: 'inference.output_tokens', of: 'self', optional: true },
    byPod: { signal: 'inference.output_tokens', of: 'workload', by: 'pod', optional: true },
    direction: 'down',
    least: LEAST_LATENCY_FACTOR,
  },
];

/** Those of the kind asked about; without one, of every kind but throughput, which falls whenever fewer people ask. */
export function candidatesFor(asked: SymptomKind | undefined): readonly Candidate[] {
  return CANDIDATES.filter((candidate) => (asked ? candidate.kind === asked : candidate.kind !== 'throughput'));
}

/** What must be fetched before a symptom can be judged. */
export function symptomNeeds(asked: SymptomKind | undefined): Need[] {
  const own = candidatesFor(asked).flatMap(({ kind, need, confirm, byPod }) => [
    need,
    confirm,
    kind === 'latency' || asked ? byPod : undefined,
  ]);
  return [...own, ...Object.values(REQUESTS)].filter((need) => need !== undefined);
}

/** What shows how a symptom of this kind spreads over the replicas, where that was not needed to see it. */
export function spreadNeeds(kind: SymptomKind): Need[] {
  return CANDIDATES.flatMap((candidate) => (candidate.kind === kind && candidate.byPod ? [candidate.byPod] : []));
}

function latency(need: Need): Candidate {
  return {
    kind: 'latency',
    need,
    ...(need.stat === 'mean' ? {} : { confirm: { ...need, stat: 'mean' as const } }),
    byPod: { signal: need.signal, of: 'workload', by: 'pod', stat: 'mean' },
    direction: 'up',
    least: LEAST_LATENCY_FACTOR,
  };
}
