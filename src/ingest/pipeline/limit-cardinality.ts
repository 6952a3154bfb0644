import type { Clock } from '../../base/index.ts';
import { formatLabels, type LabelSet, labelValue, METRIC_NAME, type Series } from '../../model/index.ts';
import {
  type CardinalityReport,
  createActiveSeries,
  createRefusalLog,
  endGeneration,
  explodingLabel,
  type MetricEntry,
  newEntry,
  noteLabels,
  noteNewSeries,
  reportMetrics,
  startSketches,
} from './cardinality/index.ts';
import type { CardinalityLimits } from './limits.ts';

export interface CardinalityRefusal {
  reason: 'limit_series' | 'limit_labels';
  metric: string;
  cluster: string;
  /** The label that has the most values, or that is too long; empty when none stands out. */
  label: string;
  /** One sentence; made when somebody wants to read it, since most refusals are only counted. */
  because(): string;
}

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
/** A metric with this many series has its label values counted; doubles while more metrics than can be kept have so many. */
const SKETCH_FROM = 16;
const MAX_SKETCHED = 4_000;
/** So many metrics have a count of their own; the rest of a cluster's share one, to which `perMetric` does not apply. */
const MAX_METRICS = 100_000;
const KEEP_FIRST_LABELS = 20_000;
const OTHER_METRICS = '(other metrics)';

interface ClusterEntry {
  cluster: string;
  active: number;
  current: number;
  metrics: Map<string, MetricEntry>;
  /** The metric with the most series. */
  largest: MetricEntry | undefined;
}

/**
 * Activity is kept as 53-bit hashes in generations of an hour, so a series that stopped frees its place within two hours.
 * Two series with the same hash (one pair in 10^4 at 10^6 series) count as one: harmless here.
 */
export function createCardinalityLimiter(limits: CardinalityLimits, clock: Clock): CardinalityLimiter {
  const seen = createActiveSeries();
  const clusters = new Map<string, ClusterEntry>();
  const log = createRefusalLog();
  let generation = 1;
  let endsAt = clock.monotonic() + GENERATION_MS;
  let total = 0;
  let metricCount = 0;
  let sketchFrom = SKETCH_FROM;
  let sketched: MetricEntry[] = [];
  let largest: MetricEntry | undefined;

  const noteLargest = (cluster: ClusterEntry, entry: MetricEntry) => {
    if (entry.active > (cluster.largest?.active ?? 0)) cluster.largest = entry;
    if (entry.active > (largest?.active ?? 0)) largest = entry;
  };
  const turnOver = () => {
    if (clock.monotonic() < endsAt) return;
    generation++;
    endsAt = clock.monotonic() + GENERATION_MS;
    seen.nextGeneration();
    total = 0;
    largest = undefined;
    for (const [name, cluster] of clusters) {
      cluster.active = cluster.current;
      cluster.current = 0;
      cluster.largest = undefined;
      total += cluster.active;
      for (const [metric, entry] of cluster.metrics) {
        endGeneration(entry);
        noteLargest(cluster, entry);
        if (entry.active > 0) continue;
        cluster.metrics.delete(metric);
        metricCount--;
      }
      if (cluster.metrics.size === 0) clusters.delete(name);
    }
    sketched = sketched.filter((entry) => entry.active > 0);
  };

  const clusterOf = (name: string): ClusterEntry => {
    let entry = clusters.get(name);
    if (entry === undefined) {
      entry = { cluster: name, active: 0, current: 0, metrics: new Map(), largest: undefined };
      clusters.set(name, entry);
    }
    return entry;
  };
  const metricOf = (cluster: ClusterEntry, metric: string): MetricEntry => {
    const known = cluster.metrics.get(metric);
    if (known !== undefined) return known;
    if (metricCount >= MAX_METRICS && metric !== OTHER_METRICS) return metricOf(cluster, OTHER_METRICS);
    const entry = newEntry(cluster.cluster, metric, clock.now());
    if (metricCount >= KEEP_FIRST_LABELS) entry.first = undefined;
    metricCount++;
    cluster.metrics.set(metric, entry);
    return entry;
  };

  const watchLabels = (entry: MetricEntry, labels: LabelSet) => {
    noteLabels(entry, labels);
    if (entry.labels !== undefined || entry.active < sketchFrom) return;
    if (sketched.length >= MAX_SKETCHED) {
      sketchFrom *= 2;
      sketched = sketched.filter((other) => {
        if (other.active >= sketchFrom) return true;
        other.labels = undefined;
        return false;
      });
      if (entry.active < sketchFrom) return;
    }
    startSketches(entry);
    sketched.push(entry);
  };

  /** Which limit leaves no place for a series that is not active yet, and whose series fill it. */
  const judgeRoom = (
    cluster: ClusterEntry,
    entry: MetricEntry,
  ): { full: string; culprit: MetricEntry | undefined } | undefined => {
    if (entry.active >= limits.perMetric && entry.metric !== OTHER_METRICS) {
      const full = `${entry.metric} of cluster ${cluster.cluster} already has ${entry.active} active series, the most allowed (limits.perMetric)`;
      return { full, culprit: entry };
    }
    if (cluster.active >= limits.perCluster) {
      const full = `cluster ${cluster.cluster} already has ${cluster.active} active series, the most allowed (limits.perCluster)`;
      return { full, culprit: cluster.largest };
    }
    if (total >= limits.series) {
      return { full: `there are already ${total} active series, the most allowed (limits.series)`, culprit: largest };
    }
    return undefined;
  };

  /** What is full answers the same to all new series, so that is worked out once a second. */
  const answers = new Map<string, { refusal: CardinalityRefusal; untilMs: number }>();
  const refuse = (series: Series, entry: MetricEntry, room: NonNullable<ReturnType<typeof judgeRoom>>) => {
    const key = `${entry.cluster} ${entry.metric}`;
    const now = clock.monotonic();
    const known = answers.get(key);
    if (known !== undefined && now < known.untilMs) return known.refusal;
    const { full, culprit } = room;
    const label = culprit === undefined ? '' : explodingLabel(culprit);
    const most =
      culprit === undefined || culprit === entry ? '' : `; most, ${culprit.active}, are of ${culprit.metric}`;
    const because = `${short(series.labels)} is new, and ${full}${most}${label === '' ? '' : `; most values has its label ${label}`}`;
    const refusal: CardinalityRefusal = {
      reason: 'limit_series',
      metric: entry.metric,
      cluster: entry.cluster,
      label,
      because: () => because,
    };
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(key, { refusal, untilMs: now + ANSWER_MS });
    return refusal;
  };

  return {
    generation() {
      turnOver();
      return generation;
    },
    active: () => total,
    admit(series) {
      turnOver();
      const { labels, cluster: clusterName } = series;
      const shape = judgeShape(series, limits);
      if (shape !== undefined) return shape;
      const hash = hashSeries(series);
      const before = seen.seen(hash);
      if (before === 'now') return undefined;
      const cluster = clusterOf(clusterName);
      const entry = metricOf(cluster, labelValue(labels, METRIC_NAME));
      if (before === 'never') {
        const noRoom = judgeRoom(cluster, entry);
        if (noRoom !== undefined) return refuse(series, entry, noRoom);
        entry.active++;
        cluster.active++;
        total++;
        noteLargest(cluster, entry);
        noteNewSeries(entry, clock.now());
      }
      seen.add(hash);
      entry.current++;
      cluster.current++;
      watchLabels(entry, labels);
      return undefined;
    },
    refused(refusal, samples) {
      const entry = clusters.get(refusal.cluster)?.metrics.get(refusal.metric);
      if (entry !== undefined) entry.refused += samples;
      log.add(refusal, samples, refusal.because, clock.now());
    },
    report(only) {
      turnOver();
      const shown = [...clusters.values()].filter(
        ({ cluster, active }) => active > 0 && (only?.includes(cluster) ?? true),
      );
      const entries = shown.flatMap(({ metrics }) => [...metrics.values()]);
      return {
        active: total,
        limit: limits.series,
        perMetricLimit: limits.perMetric,
        clusters: shown
          .map(({ cluster, active }) => ({ cluster, series: active, limit: limits.perCluster }))
          .sort((a, b) => b.series - a.series),
        ...reportMetrics(entries, total, clock.now()),
        refusals: log.list().filter(({ cluster }) => only?.includes(cluster) ?? true),
      };
    },
  };
}

const ANSWER_MS = 1_000;
const MAX_ANSWERS = 1_000;

function judgeShape({ labels, cluster }: Series, limits: CardinalityLimits): CardinalityRefusal | undefined {
  const refuse = (label: string, words: string): CardinalityRefusal => ({
    reason: 'limit_labels',
    metric: cut(labelValue(labels, METRIC_NAME), 200),
    cluster: cut(cluster),
    label: cut(label),
    because: () => `${short(labels)}${words}`,
  });
  if (labels.length / 2 > limits.labels) {
    return refuse('', ` has ${labels.length / 2} labels, more than ${limits.labels} (limits.labels)`);
  }
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i] ?? '';
    if (name.length > limits.labelName) {
      return refuse(
        name,
        `: the name of label ${cut(name)} has ${name.length} characters, more than ${limits.labelName} (limits.labelName)`,
      );
    }
    const length = labels[i + 1]?.length ?? 0;
    if (length > limits.labelValue) {
      return refuse(
        name,
        `: the value of label ${cut(name)} has ${length} characters, more than ${limits.labelValue} (limits.labelValue)`,
      );
    }
  }
  return undefined;
}

function short(labels: LabelSet): string {
  return cut(formatLabels(labels.slice(0, 40)), 200);
}

function cut(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
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
