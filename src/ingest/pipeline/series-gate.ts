import { formatLabels, type Series, UNKNOWN_CLUSTER } from '../../model/index.ts';
import type { BatchOrigin } from '../sink.ts';
import { statedCluster } from './enrich.ts';
import { type CardinalityLimiter, type CardinalityRefusal, hashSeries } from './limit-cardinality.ts';
import type { Redactor } from './redact.ts';
import type { Rejections } from './rejections.ts';

export type SeriesRefusal = CardinalityRefusal | { reason: 'duplicate_value'; because(): string };

export interface SeriesGate {
  /** Every series as it is to be stored; `refused` holds, by index, those that are not. */
  pass(
    series: readonly Series[],
    origin: BatchOrigin,
  ): { series: Series[]; refused: ReadonlyMap<number, SeriesRefusal> };
  /** Counts `samples` of a series that was refused. */
  count(refusal: SeriesRefusal, samples: number, rejections: Rejections): void;
}

/** What was decided about a series; holds while the limiter's generation is the same. */
interface Decision {
  /** The cluster that its receiver named, for which it holds; undefined where the series itself names one. */
  configured: string | undefined;
  generation: number;
  series: Series;
  /** About the same series from other clusters, by what their receivers named. */
  others: Map<string, Decision> | undefined;
}

/**
 * Redaction, cluster and limits of series. Receivers hand in the same `Series` object for the same labels wherever
 * they can, so what was decided is remembered by object and a known series costs one look-up.
 */
export function createSeriesGate(redactor: Redactor, limiter: CardinalityLimiter): SeriesGate {
  const decisions = new WeakMap<Series, Decision>();
  /** The same text as long as batches name the same cluster, since two would be compared letter by letter. */
  let lastConfigured = '';

  /** By masked series, the one that it stands for: two that differ only in what is masked must not become one. */
  const owners = new Map<number, { raw: number; generation: number }>();
  let swept = 0;

  /** Whether another series, seen in this generation or the one before, has become these same masked labels. */
  const isTaken = (raw: Series, masked: Series, generation: number): boolean => {
    if (swept !== generation) {
      for (const [key, owner] of owners) if (owner.generation < generation - 1) owners.delete(key);
      swept = generation;
    }
    const key = hashSeries(masked);
    const own = hashSeries(raw);
    const owner = owners.get(key);
    if (owner !== undefined && owner.raw !== own) return true;
    owners.set(key, { raw: own, generation });
    return false;
  };

  const remember = (raw: Series, decision: Decision) => {
    const { configured: cluster = '', generation } = decision;
    const first = decisions.get(raw);
    if (first !== undefined && (first.configured ?? '') !== cluster && first.generation >= generation - 1) {
      first.others ??= new Map();
      first.others.set(cluster, decision);
      return;
    }
    const others = [...(first?.others ?? [])].filter(([, other]) => other.generation >= generation - 1);
    decisions.set(raw, others.length === 0 ? decision : { ...decision, others: new Map(others) });
  };

  /** The series as it is to be stored, or why it is not. */
  const decide = (raw: Series, configured: string, generation: number): Series | SeriesRefusal => {
    const first = decisions.get(raw);
    const known = first === undefined || holdsFor(first, configured) ? first : first.others?.get(configured);
    if (known !== undefined && known.generation === generation) return known.series;
    const labels = redactor.labels(raw.labels);
    const stated = raw.cluster && raw.cluster !== UNKNOWN_CLUSTER ? redactor.text(raw.cluster) : statedCluster(labels);
    const cluster = stated || configured || UNKNOWN_CLUSTER;
    const series = labels === raw.labels && cluster === raw.cluster ? raw : (known?.series ?? { labels, cluster });
    const refusal = limiter.admit(series);
    if (refusal !== undefined) return refusal; // not remembered: it is admitted once there is room
    if (labels !== raw.labels && isTaken(raw, series, generation)) {
      const because = () =>
        `${formatLabels(labels).slice(0, 500)} differs from another series only in what is masked; that one is kept`;
      return { reason: 'duplicate_value', because };
    }
    remember(raw, { configured: stated === '' ? configured : undefined, generation, series, others: undefined });
    return series;
  };

  return {
    pass(all, origin) {
      const generation = limiter.generation();
      if (origin.cluster !== lastConfigured) lastConfigured = origin.cluster ?? '';
      const configured = lastConfigured;
      const refused = new Map<number, SeriesRefusal>();
      const series = all.map((raw, index) => {
        const known = decisions.get(raw);
        if (known?.generation === generation && holdsFor(known, configured)) return known.series;
        const decided = decide(raw, configured, generation);
        if ('labels' in decided) return decided;
        refused.set(index, decided);
        return raw;
      });
      return { series, refused };
    },
    count(refusal, samples, rejections) {
      const label = 'label' in refusal ? refusal.label : '';
      rejections.add('samples', refusal.reason, refusal.because, samples, label);
      if ('label' in refusal) limiter.refused(refusal, samples);
    },
  };
}

function holdsFor({ configured }: Decision, cluster: string): boolean {
  return configured === cluster || configured === undefined;
}
