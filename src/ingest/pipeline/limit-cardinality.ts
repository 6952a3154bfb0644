import type { Clock } from '../../base/index.ts';
import { labelValue, METRIC_NAME, type Series } from '../../model/index.ts';
import {
  type CardinalityReport,
  createActiveSeries,
  createRefusalLog,
  createSeriesCounts,
  explodingLabel,
  type MetricEntry,
  OTHER_CLUSTERS,
  OTHER_METRICS,
  type Place,
  reportMetrics,
} from './cardinality/index.ts';
import type { CardinalityRefusal } from './cardinality-refusal.ts';
import { judgeLabels, shortLabels } from './limit-labels.ts';
import type { CardinalityLimits } from './limits.ts';

export type { CardinalityRefusal } from './cardinality-refusal.ts';

/**
 * Decides whether a series may be stored. What is active already stays admitted; only new series meet the limits, and
 * those are refused, never merged into others: a sum over a metric at its limit lacks series, but has no wrong ones.
 */
export interface CardinalityLimiter {
  /** Rises when activity has to be shown again: an admission may be remembered while it is the same. */
  generation(): number;
  admit(series: Series): CardinalityRefusal | undefined;
  /** Counts samples that were refused with it. */
  refused(refusal: CardinalityRefusal, samples: number): void;
  active(): number;
  /** Of these clusters, or of all. */
  report(clusters?: readonly string[]): CardinalityReport;
}

const GENERATION_MS = 3_600_000;

/**
 * Activity is kept as 53-bit hashes in generations of an hour, so a series that stopped frees its place within two hours.
 * Two series with the same hash (one pair in 10^4 at 10^6 series) count as one: harmless here.
 */
export function createCardinalityLimiter(limits: CardinalityLimits, clock: Clock): CardinalityLimiter {
  const seen = createActiveSeries();
  const counts = createSeriesCounts();
  const log = createRefusalLog();
  const refuse = createRefuser(clock);
  let generation = 1;
  let endsAt = clock.monotonic() + GENERATION_MS;

  const turnOver = () => {
    if (clock.monotonic() < endsAt) return;
    generation++;
    endsAt = clock.monotonic() + GENERATION_MS;
    seen.nextGeneration();
    counts.nextGeneration();
  };

  /** Which limit leaves no place for a series that is not active yet, and whose series fill it. */
  const judgeRoom = ({ cluster, metric, ofCluster, ofMetric }: Place): NoRoom | undefined => {
    const total = counts.total();
    const { active: inCluster = 0, largest } = ofCluster ?? {};
    const ofSame = ofMetric?.active ?? 0;
    if (ofSame >= limits.perMetric && metric !== OTHER_METRICS && cluster !== OTHER_CLUSTERS) {
      const full = `${metric} of cluster ${cluster} already has ${ofSame} active series, the most allowed (limits.perMetric)`;
      return { full, culprit: ofMetric };
    }
    if (inCluster >= limits.perCluster && cluster !== OTHER_CLUSTERS) {
      const full = `cluster ${cluster} already has ${inCluster} active series, the most allowed (limits.perCluster)`;
      return { full, culprit: largest };
    }
    if (total < limits.series) return undefined;
    const full = `there are already ${total} active series, the most allowed (limits.series)`;
    return { full, culprit: counts.largest() };
  };

  return {
    generation() {
      turnOver();
      return generation;
    },
    active: counts.total,
    admit(series) {
      turnOver();
      const misshapen = judgeLabels(series, limits);
      if (misshapen !== undefined) return misshapen;
      const hash = hashSeries(series);
      const before = seen.seen(hash);
      if (before === 'now') return undefined;
      if (before === 'never') {
        const place = counts.find(series.cluster, labelValue(series.labels, METRIC_NAME));
        const noRoom = judgeRoom(place);
        if (noRoom !== undefined) return refuse(series, place, noRoom);
      }
      seen.add(hash);
      counts.add(series, { isNew: before === 'never', nowMs: clock.now() });
      return undefined;
    },
    refused(refusal, samples) {
      const { ofMetric } = counts.find(refusal.cluster, refusal.metric);
      if (ofMetric !== undefined) ofMetric.refused += samples;
      log.add(refusal, samples, refusal.because, clock.now());
    },
    report(only) {
      turnOver();
      const isAsked = ({ cluster }: { cluster: string }) => only?.includes(cluster) ?? true;
      const shown = counts.clusters().filter((cluster) => cluster.active > 0 && isAsked(cluster));
      const entries = shown.flatMap(({ metrics }) => [...metrics.values()]);
      return {
        active: counts.total(),
        limit: limits.series,
        perMetricLimit: limits.perMetric,
        clusters: shown
          .map(({ cluster, active }) => ({ cluster, series: active, limit: limits.perCluster }))
          .sort((a, b) => b.series - a.series),
        ...reportMetrics(entries, counts.total(), clock.now()),
        refusals: log.list().filter(isAsked),
      };
    },
  };
}

interface NoRoom {
  /** What is full, in words. */
  full: string;
  culprit: MetricEntry | undefined;
}

const ANSWER_MS = 1_000;
const MAX_ANSWERS = 1_000;

/** What is full answers the same to all new series, so that is worked out once a second. */
function createRefuser(clock: Clock): (series: Series, place: Place, noRoom: NoRoom) => CardinalityRefusal {
  const answers = new Map<string, { refusal: CardinalityRefusal; untilMs: number }>();
  return (series, { cluster, metric, ofMetric }, { full, culprit }) => {
    const key = `${cluster} ${metric}`;
    const now = clock.monotonic();
    const known = answers.get(key);
    if (known !== undefined && now < known.untilMs) return known.refusal;
    const label = culprit === undefined ? '' : explodingLabel(culprit);
    const most =
      culprit === undefined || culprit === ofMetric ? '' : `; most, ${culprit.active}, are of ${culprit.metric}`;
    const because = `${shortLabels(series.labels)} is new, and ${full}${most}${label === '' ? '' : `; most values has its label ${label}`}`;
    const refusal: CardinalityRefusal = { reason: 'limit_series', metric, cluster, label, because: () => because };
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(key, { refusal, untilMs: now + ANSWER_MS });
    return refusal;
  };
}

/** Two multiplicative hashes over the same characters, joined to 53 bits. */
export function hashSeries(series: Series): number {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  const mix = (text: string) => {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 15);
    }
    a = Math.imul(a ^ 0x10001, 0x01000193);
    b = Math.imul(b ^ 0x10001, 0x85ebca6b) + (b >>> 15);
  };
  mix(series.cluster);
  for (const text of series.labels) mix(text);
  return (a >>> 0) * 0x200000 + ((b ^ (b >>> 13)) & 0x1fffff);
}
