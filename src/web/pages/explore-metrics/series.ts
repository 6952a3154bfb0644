import { lastValue, type Points } from '../../charts/align.ts';

export interface PromSeries {
  key: string;
  labels: Readonly<Record<string, string>>;
  points: Points;
}

/** Labels that all series have with the same value: they tell nobody apart. */
export function commonLabels(series: readonly PromSeries[]): Readonly<Record<string, string>> {
  const [first, ...rest] = series;
  if (!first || rest.length === 0) return {};
  return Object.fromEntries(
    Object.entries(first.labels).filter(([name, value]) => rest.every((s) => s.labels[name] === value)),
  );
}

/** What tells a series from the others: `pod=llama-0 le=2.5`. Alone, its whole name. */
export function seriesName(labels: Readonly<Record<string, string>>, shared: Readonly<Record<string, string>>): string {
  const own = Object.entries(labels).filter(([name]) => !(name in shared));
  if (own.length === 0)
    return labels.__name__ ?? (Object.keys(labels).length === 0 ? 'value' : text(Object.entries(labels)));
  return own.length === 1 && own[0] ? own[0][1] : text(own);
}

/** Epoch seconds of the newest sample of all. */
export function newestOf(series: readonly PromSeries[]): number | undefined {
  const times = series.map((s) => lastValue(s.points)?.at).filter((t): t is number => t !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The unit that a query's metric names promise; without a promise, plain numbers. */
export function guessUnit(query: string): string {
  const isRate = /\b(rate|irate)\s*\(/.test(query);
  if (/histogram_quantile|_seconds(_sum|_bucket)?\b/.test(query) && /_seconds/.test(query))
    return /histogram_quantile/.test(query) || !isRate ? 's' : '';
  if (/_bytes(_total)?\b/.test(query)) return isRate ? 'bytes/s' : 'bytes';
  if (/_(ratio|perc)\b/.test(query)) return 'ratio';
  return '';
}

function text(labels: readonly (readonly [string, string])[]): string {
  return labels.map(([name, value]) => (name === '__name__' ? value : `${name}=${value}`)).join(' ');
}
