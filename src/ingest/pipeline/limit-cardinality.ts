import type { Clock } from '../../base/index.ts';
import { formatLabels, type LabelSet, labelValue, METRIC_NAME, type Series } from '../../model/index.ts';

export interface CardinalityLimits {
  /** Active series of the whole installation: seen within the last one to two hours. */
  series: number;
  /** Active series of one metric name. */
  perMetric: number;
  /** Labels of one series, the metric's name included. */
  labels: number;
  labelNameLength: number;
  labelValueLength: number;
}

/** The one place of these numbers; the configuration's schema takes its defaults from here. */
export const defaultCardinalityLimits: CardinalityLimits = {
  series: 1_000_000,
  perMetric: 100_000,
  labels: 60,
  labelNameLength: 1024,
  labelValueLength: 4096,
};

export interface CardinalityRefusal {
  reason: 'limit_series' | 'limit_labels';
  because: string;
}

/** Decides whether a series may be stored. What is active already stays admitted; only new series meet the limit. */
export interface CardinalityLimiter {
  /** Rises when activity has to be shown again: an admission may be remembered while it is the same. */
  generation(): number;
  admit(series: Series): CardinalityRefusal | undefined;
  active(): number;
}

const GENERATION_MS = 3_600_000;

/**
 * Activity is kept as 53-bit hashes in two generations of an hour each, so a series that stopped frees its place
 * within two hours. Two series with the same hash (one pair in 10^4 at 10^6 series) count as one: harmless here.
 */
export function createCardinalityLimiter(limits: CardinalityLimits, clock: Clock): CardinalityLimiter {
  let generation = 1;
  let endsAt = clock.monotonic() + GENERATION_MS;
  let current = new Set<number>();
  let previous = new Set<number>();
  /** Distinct active series per metric: those of both generations, and those of the current one alone. */
  let perMetric = new Map<string, number>();
  let currentPerMetric = new Map<string, number>();
  let total = 0;

  const turnOver = () => {
    if (clock.monotonic() < endsAt) return;
    generation++;
    endsAt = clock.monotonic() + GENERATION_MS;
    total = current.size;
    perMetric = new Map(currentPerMetric);
    currentPerMetric = new Map();
    previous = current;
    current = new Set();
  };
  return {
    generation() {
      turnOver();
      return generation;
    },
    active: () => total,
    admit(series) {
      turnOver();
      const shape = judgeShape(series.labels, limits);
      if (shape !== undefined) return shape;
      const hash = hashSeries(series);
      if (current.has(hash)) return undefined;
      const metric = labelValue(series.labels, METRIC_NAME);
      if (!previous.has(hash)) {
        const ofMetric = perMetric.get(metric) ?? 0;
        if (ofMetric >= limits.perMetric) {
          return {
            reason: 'limit_series',
            because: `${metric} already has ${ofMetric} active series, the most allowed (limits.perMetric)`,
          };
        }
        if (total >= limits.series) {
          return {
            reason: 'limit_series',
            because: `there are already ${total} active series, the most allowed (limits.series)`,
          };
        }
        perMetric.set(metric, ofMetric + 1);
        total++;
      }
      current.add(hash);
      currentPerMetric.set(metric, (currentPerMetric.get(metric) ?? 0) + 1);
      return undefined;
    },
  };
}

function judgeShape(labels: LabelSet, limits: CardinalityLimits): CardinalityRefusal | undefined {
  if (labels.length / 2 > limits.labels) {
    return {
      reason: 'limit_labels',
      because: `${short(labels)} has ${labels.length / 2} labels, more than ${limits.labels}`,
    };
  }
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i] ?? '';
    if (name.length > limits.labelNameLength) {
      return {
        reason: 'limit_labels',
        because: `${short(labels)}: the name of label ${cut(name)} has ${name.length} characters, more than ${limits.labelNameLength}`,
      };
    }
    const length = labels[i + 1]?.length ?? 0;
    if (length > limits.labelValueLength) {
      return {
        reason: 'limit_labels',
        because: `${short(labels)}: the value of label ${cut(name)} has ${length} characters, more than ${limits.labelValueLength}`,
      };
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
