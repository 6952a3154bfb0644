import {
  type Attributes,
  attributeText,
  type LabelSet,
  labelKey,
  type MetricMetadata,
  type MetricType,
  type SampleBatch,
  type Series,
  UNKNOWN_CLUSTER,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { createSeriesCache, SampleBuilder } from '../wire/index.ts';
import type { DecodedMetrics, Invalid, MetricData, Point, ResourceMetric } from './decoded.ts';
import { createInvalid } from './decoded.ts';
import type { DeltaTurn } from './delta.ts';
import { labelName, metricName, plainNumber } from './naming.ts';

/** Resource attributes that become labels of every series of the resource. */
const PROMOTED = [
  'k8s.cluster.name', 'k8s.namespace.name', 'k8s.pod.name', 'k8s.container.name', 'k8s.node.name', 'k8s.deployment.name', 'service.version',
]; // biome-ignore format: a list to read
const IDENTIFYING = new Set(['service.namespace', 'service.name', 'service.instance.id']);
/** `target_info` is repeated at half of Prometheus' lookback, so that it is never stale between two points. */
const TARGET_INFO_STEP_MS = 150_000;

export interface Translation {
  samples: SampleBatch;
  metadata: MetricMetadata[];
  invalid: Invalid;
  exponential: Invalid;
  points: number;
}

/**
 * OTLP metrics as the Prometheus series that Prometheus 3 makes of them. Sums and histograms with delta temporality
 * are added up per series by `delta`. Exponential histograms are counted and left out.
 */
export function createTranslator() {
  const cache = createSeriesCache<Series>(200_000);
  const seriesOf = (labels: LabelSet): Series => {
    const key = labelKey(labels);
    let series = cache.get(key);
    if (series === undefined) {
      series = { labels, cluster: UNKNOWN_CLUSTER };
      cache.set(key, series);
    }
    return series;
  };

  return async (decoded: DecodedMetrics, delta: DeltaTurn): Promise<Translation> => {
    const samples = new SampleBuilder();
    const indexes = new Map<Series, number>();
    const families = new Map<string, MetricMetadata>();
    const invalid = createInvalid();
    const exponential = createInvalid();
    const resources = new Map<Attributes, { base: ResourceLabels; firstMs: number; lastMs: number }>();
    const turns = createTurns();
    let pointCount = 0;

    const emit = (labels: LabelSet, timeMs: number, value: number, noValue: boolean, isDelta: boolean) => {
      const series = seriesOf(labels);
      let index = indexes.get(series);
      if (index === undefined) {
        index = samples.addSeries(series);
        indexes.set(series, index);
      }
      if (noValue) samples.addStale(index, timeMs);
      else samples.add(index, timeMs, isDelta ? delta.add(labelKey(labels), timeMs, value) : value);
    };

    for (const metric of decoded.metrics) {
      if (turns.over()) await turns.next();
      const problem = judgeMetric(metric);
      if (problem !== undefined) {
        invalid.add(problem, countOf(metric.data));
        continue;
      }
      const { data } = metric;
      if (data.kind === 'none') continue;
      if (data.kind === 'exponential-histogram') {
        exponential.add(`exponential histograms are not kept yet: ${metric.name}`, data.count);
        continue;
      }
      let resource = resources.get(metric.resource);
      if (resource === undefined) {
        resource = { base: resourceLabels(metric.resource), firstMs: Number.POSITIVE_INFINITY, lastMs: 0 };
        resources.set(metric.resource, resource);
      }
      const { base } = resource;
      const family = familyOf(metric);
      families.set(family.family, family);
      const name = family.family;
      const isDelta = (data.kind === 'sum' || data.kind === 'histogram') && data.temporality === 'delta';

      /** Common part of a point; undefined when it is refused. */
      const start = (point: Point): { labels: LabelSet; timeMs: number } | undefined => {
        pointCount++;
        const timeMs = Number(point.timeNs / 1_000_000n);
        const labels = pointLabels(point.attributes, base);
        if (isDelta && !delta.isNewer(`${name}\u0000${labelKey(labels)}`, timeMs)) {
          invalid.add(`delta point of ${name} at ${timeMs} ms is not newer than the one before`);
          return undefined;
        }
        resource.firstMs = Math.min(resource.firstMs, timeMs);
        resource.lastMs = Math.max(resource.lastMs, timeMs);
        return { labels, timeMs };
      };

      if (data.kind === 'gauge' || data.kind === 'sum') {
        for (const point of data.points) {
          const at = start(point);
          if (at) emit(withExtra(at.labels, '__name__', name), at.timeMs, point.value, point.noValue, isDelta);
        }
      } else if (data.kind === 'histogram') {
        for (const point of data.points) {
          if (point.bucketCounts.length > 0 && point.bucketCounts.length !== point.bounds.length + 1) {
            pointCount++;
            invalid.add(
              `a point of ${metric.name} has ${point.bucketCounts.length} bucket counts for ${point.bounds.length} bounds`,
            );
            continue;
          }
          const at = start(point);
          if (!at) continue;
          const { labels, timeMs } = at;
          const put = (labelsOf: LabelSet, value: number) => emit(labelsOf, timeMs, value, point.noValue, isDelta);
          if (point.sum !== undefined) put(withExtra(labels, '__name__', `${name}_sum`), point.sum);
          put(withExtra(labels, '__name__', `${name}_count`), point.count);
          const bucket = withExtra(labels, '__name__', `${name}_bucket`);
          let cumulative = 0;
          point.bounds.forEach((bound, i) => {
            cumulative += point.bucketCounts[i] ?? 0;
            if (bound !== Number.POSITIVE_INFINITY) put(withExtra(bucket, 'le', plainNumber(bound)), cumulative);
          });
          put(withExtra(bucket, 'le', '+Inf'), point.count);
        }
      } else {
        for (const point of data.points) {
          const at = start(point);
          if (!at) continue;
          const put = (labels: LabelSet, value: number) => emit(labels, at.timeMs, value, point.noValue, false);
          put(withExtra(at.labels, '__name__', `${name}_sum`), point.sum);
          put(withExtra(at.labels, '__name__', `${name}_count`), point.count);
          const named = withExtra(at.labels, '__name__', name);
          for (const { quantile, value } of point.quantiles)
            put(withExtra(named, 'quantile', plainNumber(quantile)), value);
        }
      }
    }
    for (const [attributes, { base, firstMs, lastMs }] of resources) {
      const labels = targetInfo(attributes, base);
      if (labels === undefined || firstMs === Number.POSITIVE_INFINITY) continue;
      families.set('target_info', { family: 'target_info', type: 'gauge', help: 'Target metadata', unit: '' });
      for (let at = firstMs; at < lastMs && lastMs - firstMs < 1000 * TARGET_INFO_STEP_MS; at += TARGET_INFO_STEP_MS) {
        emit(labels, at, 1, false, false);
      }
      emit(labels, lastMs, 1, false, false);
    }
    return { samples: samples.finish(), metadata: [...families.values()], invalid, exponential, points: pointCount };
  };
}

function judgeMetric(metric: ResourceMetric): string | undefined {
  if (metric.name === '') return 'a metric has no name';
  const { data } = metric;
  if ((data.kind === 'sum' || data.kind === 'histogram') && data.temporality === 'unspecified') {
    return `${data.kind} ${metric.name} has no aggregation temporality`;
  }
  return undefined;
}

function countOf(data: MetricData): number {
  if (data.kind === 'none') return 1;
  return data.kind === 'exponential-histogram' ? data.count : data.points.length;
}

function familyOf(metric: ResourceMetric): MetricMetadata {
  const { data, unit, description } = metric;
  const monotonic = data.kind === 'sum' && data.monotonic;
  const kind = monotonic ? 'monotonic' : data.kind === 'gauge' ? 'gauge' : 'other';
  const type: MetricType =
    data.kind === 'histogram' ? 'histogram' : data.kind === 'summary' ? 'summary' : monotonic ? 'counter' : 'gauge';
  return { family: metricName(metric.name, unit, kind), type, help: description, unit };
}

interface ResourceLabels {
  promoted: [string, string][];
  job: string;
  instance: string;
}

function resourceLabels(resource: Attributes): ResourceLabels {
  const text = (key: string) => {
    const value = resource.get(key);
    return value === undefined ? '' : attributeText(value);
  };
  const service = text('service.name');
  const namespace = text('service.namespace');
  return {
    promoted: PROMOTED.filter((key) => resource.has(key)).map((key) => [labelName(key), text(key)]),
    job: service !== '' && namespace !== '' ? `${namespace}/${service}` : service,
    instance: text('service.instance.id'),
  };
}

function pointLabels(attributes: Attributes, base: ResourceLabels): LabelSet {
  const labels = attributeLabels(attributes);
  for (const [name, value] of base.promoted) if (!labels.has(name)) labels.set(name, value);
  return finishLabels(labels, base);
}

/** Attributes whose names become the same label share it, in the order of their own names. */
function attributeLabels(attributes: Attributes, except?: ReadonlySet<string>): Map<string, string> {
  const labels = new Map<string, string>();
  for (const key of [...attributes.keys()].sort()) {
    if (except?.has(key)) continue;
    const name = labelName(key);
    const value = attributeText(attributes.get(key) ?? null);
    const before = labels.get(name);
    labels.set(name, before === undefined ? value : `${before};${value}`);
  }
  return labels;
}

function finishLabels(labels: Map<string, string>, base: ResourceLabels): LabelSet {
  if (base.job !== '') labels.set('job', base.job);
  if (base.instance !== '') labels.set('instance', base.instance);
  const flat: string[] = [];
  for (const name of [...labels.keys()].sort()) {
    const value = labels.get(name) ?? '';
    if (value !== '' && name !== '') flat.push(name, value);
  }
  return flat;
}

function targetInfo(resource: Attributes, base: ResourceLabels): LabelSet | undefined {
  if (base.job === '' && base.instance === '') return undefined;
  const labels = attributeLabels(resource, IDENTIFYING);
  if (labels.size === 0) return undefined;
  return withExtra(finishLabels(labels, base), '__name__', 'target_info');
}

/** The set with a label put in its place; one of the same name is replaced. */
function withExtra(labels: LabelSet, name: string, value: string): LabelSet {
  let at = 0;
  while (at < labels.length && (labels[at] ?? '') < name) at += 2;
  const replaced = labels[at] === name ? 2 : 0;
  return [...labels.slice(0, at), name, value, ...labels.slice(at + replaced)];
}
