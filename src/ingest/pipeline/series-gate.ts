import { formatLabels, type Series, UNKNOWN_CLUSTER } from '../../model/index.ts';
import type { BatchOrigin } from '../sink.ts';
import { seriesCluster } from './enrich.ts';
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
  generation: number;
  series: Series;
}

/**
 * Redaction, cluster and limits of series. Receivers hand in the same `Series` object for the same labels wherever
 * they can, so what was decided is remembered by object and a known series costs one look-up.
 */
export function createSeriesGate(redactor: Redactor, limiter: CardinalityLimiter): SeriesGate {
  const decisions = new WeakMap<Series, Decision>();

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

  /** The series as it is to be stored, or why it is not. */
  const decide = (raw: Series, origin: BatchOrigin, generation: number): Series | SeriesRefusal => {
    const known = decisions.get(raw);
    if (known !== undefined && known.generation === generation) return known.series;
    const labels = redactor.labels(raw.labels);
    const cluster =
      raw.cluster && raw.cluster !== UNKNOWN_CLUSTER
        ? redactor.text(raw.cluster)
        : seriesCluster(labels, origin.cluster);
    const series = labels === raw.labels && cluster === raw.cluster ? raw : (known?.series ?? { labels, cluster });
    const refusal = limiter.admit(series);
    if (refusal !== undefined) return refusal; // not remembered: it is admitted once there is room
    if (labels !== raw.labels && isTaken(raw, series, generation)) {
      const because = () =>
        `${formatLabels(labels).slice(0, 500)} differs from another series only in what is masked; that one is kept`;
      return { reason: 'duplicate_value', because };
    }
    decisions.set(raw, { generation, series });
    return series;
  };

  return {
    pass(all, origin) {
      const generation = limiter.generation();
      const refused = new Map<number, SeriesRefusal>();
      const series = all.map((raw, index) => {
        const decided = decide(raw, origin, generation);
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
