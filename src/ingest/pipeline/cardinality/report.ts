import { churnPerHour, growthPerHour, type LabelCount, labelCounts, type MetricEntry } from './metric-entry.ts';
import type { RefusalRecord } from './refusal-log.ts';
import { ValueSketch } from './value-sketch.ts';

/** What `GET /api/cardinality` shows, as plain data. Times in ms since the epoch. */
export interface CardinalityReport {
  active: number;
  limit: number;
  perMetricLimit: number;
  clusters: { cluster: string; series: number; limit: number }[];
  metrics: {
    metric: string;
    cluster: string;
    series: number;
    share: number;
    churnPerHour: number;
    growthPerHour: number;
    refused: number;
    labels: { name: string; values: number; example: string }[];
  }[];
  labels: { name: string; values: number; metrics: number; example: string[] }[];
  refusals: RefusalRecord[];
}

const TOP = 100;
const LABELS_PER_METRIC = 20;

/** The part of the report about metrics: the largest of them and of their labels. */
export function reportMetrics(
  entries: readonly MetricEntry[],
  active: number,
  nowMs: number,
): Pick<CardinalityReport, 'metrics' | 'labels'> {
  const largest = entries.toSorted((a, b) => b.active - a.active || b.refused - a.refused).slice(0, TOP);
  const byLabel = new Map<string, { sketch: ValueSketch; metrics: number; example: string[] }>();
  const metrics = largest.map((entry) => {
    const counts = labelCounts(entry);
    for (const count of counts) gather(byLabel, count);
    return {
      metric: entry.metric,
      cluster: entry.cluster,
      series: entry.active,
      share: active === 0 ? 0 : entry.active / active,
      churnPerHour: churnPerHour(entry, nowMs),
      growthPerHour: growthPerHour(entry, nowMs),
      refused: entry.refused,
      labels: counts
        .slice(0, LABELS_PER_METRIC)
        .map(({ name, values, examples }) => ({ name, values, example: examples[0] ?? '' })),
    };
  });
  const labels = [...byLabel]
    .map(([name, { sketch, metrics, example }]) => ({ name, values: sketch.count(), metrics, example }))
    .sort((a, b) => b.values - a.values || (a.name < b.name ? -1 : 1))
    .slice(0, TOP);
  return { metrics, labels };
}

function gather(
  byLabel: Map<string, { sketch: ValueSketch; metrics: number; example: string[] }>,
  count: LabelCount,
): void {
  const known = byLabel.get(count.name) ?? { sketch: new ValueSketch(), metrics: 0, example: [] };
  known.sketch.merge(count.sketch);
  known.metrics++;
  for (const value of count.examples)
    if (known.example.length < 3 && !known.example.includes(value)) known.example.push(value);
  byLabel.set(count.name, known);
}
