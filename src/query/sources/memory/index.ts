import {
  compareLabels,
  type Exemplar,
  type HistogramBatch,
  type LabelSet,
  labelKey,
  labelPairs,
  labelValue,
  type MetricMetadata,
  type NativeHistogram,
  type SampleBatch,
  type Scope,
  type Series,
  scopeAllows,
  setStaleAt,
  type TimeRange,
} from '../../../model/index.ts';
import {
  type LabelRequest,
  type Limited,
  type Matcher,
  type MetricSource,
  type ReadOptions,
  type SampleColumns,
  type SampleRequest,
  SourceLimitError,
} from '../contract.ts';
import { compileMatchers } from '../matcher.ts';

/** Keeps samples in memory: for tests, and for runs that need no store. */
export interface MemorySource extends MetricSource {
  add(samples: SampleBatch, metadata?: readonly MetricMetadata[]): void;
  addHistograms(histograms: HistogramBatch): void;
  addExemplars(exemplars: readonly Exemplar[]): void;
  clear(): void;
}

interface StoredSeries {
  labels: LabelSet;
  cluster: string;
  /** In order of time; of samples at one time the first that came. */
  timesMs: number[];
  /** Float64Array's bits as the samples came with them. */
  values: Float64Array;
  /** Samples that are native histograms, by their place. */
  histograms?: (NativeHistogram | undefined)[];
}

export function createMemorySource(): MemorySource {
  const stored = new Map<string, StoredSeries>();
  const metadata: MetricMetadata[] = [];
  const exemplars: Exemplar[] = [];
  const select = (matchers: readonly Matcher[], scope: Scope) => {
    const matches = compileMatchers(matchers);
    return [...stored.values()]
      .filter((series) => isVisible(series, scope) && matches(series.labels, series.cluster))
      .sort((a, b) => compareLabels(a.labels, b.labels));
  };
  const selectAny = (request: LabelRequest) => {
    const selectors = request.selectors.length > 0 ? request.selectors : [[]];
    const found = new Set(selectors.flatMap((matchers) => select(matchers, request.scope)));
    return [...found]
      .filter((series) => overlaps(series, request.range))
      .sort((a, b) => compareLabels(a.labels, b.labels));
  };
  return {
    add(samples, about = []) {
      addSamples(stored, samples);
      metadata.push(...about);
    },
    addHistograms({ values, ...columns }) {
      const numbers = new Float64Array(values.length);
      for (const [i, { stale }] of values.entries()) if (stale) setStaleAt(numbers, i);
      addSamples(stored, { ...columns, values: numbers }, values);
    },
    addExemplars(more) {
      exemplars.push(...more);
    },
    clear() {
      stored.clear();
      exemplars.length = 0;
      metadata.length = 0;
    },
    samples: async (request, read) => columnsOf(select(request.matchers, request.scope), request, read),
    exemplars: async ({ selectors, range, scope }) => {
      const tests = selectors.map(compileMatchers);
      return exemplars.filter(
        ({ series: { labels, cluster }, timeMs }) =>
          timeMs >= range.from &&
          timeMs <= range.to &&
          isVisible({ labels, cluster }, scope) &&
          tests.some((test) => test(labels, cluster)),
      );
    },
    series: async (request) => limited(unique(selectAny(request).map((series) => series.labels)), request.limit),
    labelNames: async (request) =>
      limited(
        sortedTexts(selectAny(request).flatMap(({ labels }) => [...labelPairs(labels)].map(([name]) => name))),
        request.limit,
      ),
    labelValues: async (request) =>
      limited(
        sortedTexts(
          selectAny(request).map(
            ({ labels, cluster }) => labelValue(labels, request.name) || (request.name === 'cluster' ? cluster : ''),
          ),
        ),
        request.limit,
      ),
    metadata: async ({ family, limit }) =>
      metadata.filter((one) => family === undefined || one.family === family).slice(0, limit),
  };
}

function isVisible({ labels, cluster }: Series, scope: Scope): boolean {
  return scopeAllows(scope, cluster, labelValue(labels, 'namespace') || undefined);
}

function overlaps({ timesMs }: StoredSeries, range: TimeRange | undefined): boolean {
  return !range || timesMs.some((time) => time >= range.from && time <= range.to);
}

/** The samples of a batch, which are the native histograms at the same places where those are given. */
function addSamples(
  stored: Map<string, StoredSeries>,
  batch: SampleBatch,
  histograms?: readonly NativeHistogram[],
): void {
  const perSeries = new Map<number, number[]>();
  batch.seriesOf.forEach((series, index) => {
    const indexes = perSeries.get(series);
    if (indexes) indexes.push(index);
    else perSeries.set(series, [index]);
  });
  for (const [index, samples] of perSeries) {
    const series = batch.series[index];
    if (!series) continue;
    const key = `${series.cluster}\u0000${labelKey(series.labels)}`;
    const known = stored.get(key) ?? { ...series, timesMs: [], values: new Float64Array(0) };
    stored.set(key, merged(known, batch, samples, histograms));
  }
}

/** A stable sort by time, so that of several samples at one time the first one stays. */
function merged(
  series: StoredSeries,
  batch: SampleBatch,
  samples: number[],
  histograms: readonly NativeHistogram[] | undefined,
): StoredSeries {
  const old = series.timesMs.length;
  const times = [...series.timesMs, ...samples.map((index) => batch.timesMs[index] ?? 0)];
  const all = new Float64Array(times.length);
  all.set(series.values);
  for (const [i, index] of samples.entries()) all.set(batch.values.subarray(index, index + 1), old + i);
  const order = times.map((_, i) => i).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const kept = order.filter((index, i) => i === 0 || times[index] !== times[order[i - 1] ?? 0]);
  const values = new Float64Array(kept.length);
  for (const [i, index] of kept.entries()) values.set(all.subarray(index, index + 1), i);
  const result: StoredSeries = { ...series, timesMs: kept.map((index) => times[index] ?? 0), values };
  if (series.histograms === undefined && histograms === undefined) return result;
  result.histograms = kept.map((index) => {
    if (index < old) return series.histograms?.[index];
    const histogram = histograms?.[samples[index - old] ?? -1];
    return histogram?.stale ? undefined : histogram;
  });
  return result;
}

function columnsOf(series: StoredSeries[], request: SampleRequest, { limits }: ReadOptions): SampleColumns {
  const runs = series
    .map((one) => ({
      one,
      from: firstAfter(one.timesMs, request.afterMs),
      to: firstAfter(one.timesMs, request.throughMs),
    }))
    .filter(({ from, to }) => to > from);
  if (runs.length > limits.series)
    throw new SourceLimitError(
      'series',
      `the selector matches ${runs.length} series (limit ${limits.series}): narrow it`,
    );
  const offsets = new Uint32Array(runs.length + 1);
  runs.forEach(({ from, to }, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + to - from;
  });
  const total = offsets[runs.length] ?? 0;
  if (total > limits.samples)
    throw new SourceLimitError(
      'samples',
      `the selector reads ${total} samples (limit ${limits.samples}): narrow the time range`,
    );
  const columns: SampleColumns = {
    series: runs.map(({ one }) => one.labels),
    offsets,
    timesMs: new Float64Array(total),
    values: new Float64Array(total),
  };
  runs.forEach(({ one, from, to }, i) => {
    columns.timesMs.set(one.timesMs.slice(from, to), offsets[i]);
    columns.values.set(one.values.subarray(from, to), offsets[i]);
  });
  if (runs.some(({ one }) => one.histograms)) {
    columns.histograms = runs.flatMap(({ one, from, to }) =>
      Array.from({ length: to - from }, (_, i) => one.histograms?.[from + i]),
    );
  }
  return columns;
}

function firstAfter(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unique(sets: LabelSet[]): LabelSet[] {
  return [...new Map(sets.map((labels) => [labelKey(labels), labels])).values()];
}

function sortedTexts(texts: string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '').sort();
}

function limited<T>(items: T[], limit: number | undefined): Limited<T> {
  if (limit === undefined || limit <= 0 || items.length <= limit) return { items, truncated: false };
  return { items: items.slice(0, limit), truncated: true };
}
