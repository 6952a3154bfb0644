import { type Exemplar, type LabelSet, labelKey, labelRecord } from '../../model/index.ts';
import { formatNumber } from '../../query/index.ts';

interface SeriesExemplars {
  seriesLabels: Record<string, string>;
  exemplars: { labels: Record<string, string>; value: string; timestamp: number }[];
}

/** Exemplars by their series, as Prometheus' API gives them. */
export function exemplarsBySeries(exemplars: readonly Exemplar[]): SeriesExemplars[] {
  const bySeries = new Map<string, SeriesExemplars>();
  const of = (labels: LabelSet): SeriesExemplars => {
    const key = labelKey(labels);
    const found = bySeries.get(key) ?? { seriesLabels: labelRecord(labels), exemplars: [] };
    bySeries.set(key, found);
    return found;
  };
  for (const { series, labels, value, timeMs } of exemplars) {
    of(series.labels).exemplars.push({
      labels: labelRecord(labels),
      value: formatNumber(value),
      timestamp: timeMs / 1000,
    });
  }
  return [...bySeries.values()];
}
