import {
  type Attributes,
  attributeText,
  type Exemplar,
  formatLabels,
  type HistogramBatch,
  type LabelSet,
  type MetricMetadata,
  type MetricType,
  type NativeHistogram,
  type SampleBatch,
  type Series,
  staleHistogram,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { SampleBuilder } from '../wire/index.ts';
import {
  createInvalid,
  type DecodedMetrics,
  type ExponentialPoint,
  type HistogramPoint,
  type Invalid,
  type MetricData,
  type NumberPoint,
  type Point,
  type RawExemplar,
  type ResourceMetric,
  type SummaryPoint,
} from './decoded.ts';
import { addExponential, judgeExponential, toNative } from './exponential.ts';
import { metricName, plainNumber } from './naming.ts';
import {
  exemplarLabels,
  pointLabels,
  type ResourceLabels,
  resourceLabels,
  targetInfo,
  withExtra,
} from './resource-labels.ts';
import {
  type Changes,
  createStreams,
  ownSeries,
  type SeriesState,
  type Stream,
  type Streams,
  type Undo,
} from './streams.ts';

/** `target_info` is repeated at half of Prometheus' lookback, so that it is never stale between two points. */
const TARGET_INFO_STEP_MS = 150_000;

export interface Translation {
  samples: SampleBatch;
  histograms: HistogramBatch;
  exemplars: Exemplar[];
  metadata: MetricMetadata[];
  /** Points that could not be used. */
  invalid: Invalid;
  /** Points of a second writer of a series. */
  doubled: Invalid;
  /** Points of the request, all of them. */
  points: number;
}

export interface Translator {
  /**
   * Translates a request and hands the result to `keep`. Running totals of delta streams count what it brought only
   * when `keep` resolves and did not call `forget`. `cluster`: the one that the receiver names, if any; clusters share no
   * series.
   */
  translate<T>(
    decoded: DecodedMetrics,
    keep: (translation: Translation, forget: () => void) => Promise<T>,
    cluster?: string,
  ): Promise<T>;
}

/**
 * OTLP metrics as the Prometheus series that Prometheus 3 makes of them: histograms with given bounds as classic ones,
 * exponential histograms as native ones. Delta temporality is added up per series.
 */
export function createTranslator(streams: Streams = createStreams()): Translator {
  return {
    async translate(decoded, keep, cluster = '') {
      const owners = deltaOwners(decoded.metrics, cluster);
      const work = async ({ undo, forget }: Changes) =>
        keep(await new Request(streams, undo, cluster).run(decoded), forget);
      return owners.size > 0 ? streams.takeTurn(owners, work) : work(NO_CHANGES);
    },
  };
}

const NO_CHANGES: Changes = { undo() {}, forget() {} };

/** Cluster, job and instance of all series with running totals: without one of these in common, none is in common. */
function deltaOwners(metrics: readonly ResourceMetric[], cluster: string): Set<string> {
  const owners = new Set<string>();
  const bases = new Map<Attributes, ResourceLabels>();
  for (const { data, resource } of metrics) {
    if (!('temporality' in data) || data.temporality !== 'delta') continue;
    let base = bases.get(resource);
    if (base === undefined) {
      base = resourceLabels(resource);
      bases.set(resource, base);
    }
    const { job, instance } = base;
    if (job !== '' && instance !== '') owners.add(JSON.stringify([cluster, job, instance]));
    else
      for (const { attributes } of data.points) {
        // A point's own stand in where the resource has none.
        const own = (name: string) => attributeText(attributes.get(name) ?? '');
        owners.add(JSON.stringify([cluster, job || own('job'), instance || own('instance')]));
      }
  }
  return owners;
}

interface ResourceState {
  base: ResourceLabels;
  writer: number;
  /** The resource's part in the keys of streams. */
  key: string;
  firstMs: number;
  lastMs: number;
}

/** A metric's part in all keys and samples of its points. */
interface MetricState {
  name: string;
  key: string;
  resource: ResourceState;
  isDelta: boolean;
  /** Samples of it count from a beginning. */
  accumulates: boolean;
}

class Request {
  private readonly streams: Streams;
  private readonly undo: Undo;
  private readonly cluster: string;
  private readonly samples = new SampleBuilder();
  private readonly starts: number[] = [];
  private readonly indexes = new Map<SeriesState, number>();
  private readonly histograms: { series: Series; timeMs: number; value: NativeHistogram; startMs: number }[] = [];
  private readonly exemplars: Exemplar[] = [];
  private readonly invalid = createInvalid();
  private readonly doubled = createInvalid();
  private points = 0;

  constructor(streams: Streams, undo: Undo, cluster: string) {
    this.streams = streams;
    this.undo = undo;
    this.cluster = cluster;
  }

  async run({ metrics }: DecodedMetrics): Promise<Translation> {
    const families = new Map<string, MetricMetadata>();
    const resources = new Map<Attributes, ResourceState>();
    const turns = createTurns();
    for (const metric of metrics) {
      if (turns.over()) await turns.next();
      const { data } = metric;
      this.points += countOf(data);
      const problem = judgeMetric(metric);
      if (problem !== undefined) {
        this.invalid.add(problem, countOf(data));
        continue;
      }
      if (data.kind === 'none') continue;
      let resource = resources.get(metric.resource);
      if (resource === undefined) {
        const base = resourceLabels(metric.resource);
        const writer = this.streams.writer(base.writer);
        const key = JSON.stringify([this.cluster, writer, base.promoted]);
        resource = { base, writer, key, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 };
        resources.set(metric.resource, resource);
      }
      const family = familyOf(metric);
      families.set(family.family, family);
      const state: MetricState = {
        name: family.family,
        key: JSON.stringify([resource.key, family.family, data.kind, metric.scope.name]),
        resource,
        isDelta: 'temporality' in data && data.temporality === 'delta',
        accumulates: data.kind !== 'gauge' && (data.kind !== 'sum' || data.monotonic),
      };
      for (let i = 0; i < data.points.length; i++) {
        if (i % 128 === 127 && turns.over()) await turns.next();
        this.point(data, i, state);
      }
    }
    this.targetInfos(resources, families);
    return this.finish([...families.values()]);
  }

  private point(data: Exclude<MetricData, { kind: 'none' }>, i: number, metric: MetricState): void {
    switch (data.kind) {
      case 'gauge':
      case 'sum': {
        const point = data.points[i];
        if (point) this.number(point, metric);
        return;
      }
      case 'histogram': {
        const point = data.points[i];
        if (point) this.histogram(point, metric);
        return;
      }
      case 'exponential-histogram': {
        const point = data.points[i];
        if (point) this.exponential(point, metric);
        return;
      }
      case 'summary': {
        const point = data.points[i];
        if (point) this.summary(point, metric);
      }
    }
  }

  private number(point: NumberPoint, metric: MetricState): void {
    const { name } = metric;
    const stream = this.streamOf(point, metric);
    const [part] = this.partsOf(stream, [], () => [withExtra(stream.labels, '__name__', name)]);
    if (part === undefined || !this.mayWrite(stream, part, point, metric)) return;
    this.emit(part, point, metric, point.value);
    for (const exemplar of point.exemplars) this.exemplar(part.series, exemplar, point);
  }

  private histogram(point: HistogramPoint, metric: MetricState): void {
    const { name } = metric;
    const { bounds, bucketCounts } = point;
    if (bucketCounts.length > 0 && bucketCounts.length !== bounds.length + 1) {
      this.invalid.add(`a point of ${name} has ${bucketCounts.length} bucket counts for ${bounds.length} bounds`);
      return;
    }
    const stream = this.streamOf(point, metric);
    const parts = this.partsOf(stream, bounds, () => {
      const bucket = withExtra(stream.labels, '__name__', `${name}_bucket`);
      return [
        withExtra(stream.labels, '__name__', `${name}_count`),
        withExtra(stream.labels, '__name__', `${name}_sum`),
        withExtra(bucket, 'le', '+Inf'),
        ...bounds.map((bound) => withExtra(bucket, 'le', plainNumber(bound))),
      ];
    });
    const [count, sum, all] = parts;
    if (!count || !sum || !all || !this.mayWrite(stream, count, point, metric)) return;
    if (point.sum !== undefined) this.emit(sum, point, metric, point.sum);
    this.emit(count, point, metric, point.count);
    let cumulative = 0;
    for (let i = 0; i < bounds.length; i++) {
      cumulative += bucketCounts[i] ?? 0;
      const part = parts[i + 3];
      if (part && bounds[i] !== Number.POSITIVE_INFINITY) this.emit(part, point, metric, cumulative);
    }
    this.emit(all, point, metric, point.count);
    for (const exemplar of point.exemplars) {
      const at = bounds.findIndex((bound) => exemplar.value <= bound);
      this.exemplar((at < 0 ? all : (parts[at + 3] ?? all)).series, exemplar, point);
    }
  }

  private exponential(point: ExponentialPoint, metric: MetricState): void {
    const { name, isDelta } = metric;
    const problem = point.noValue ? undefined : judgeExponential(point);
    if (problem !== undefined) {
      this.invalid.add(`a point of ${name}: ${problem}`);
      return;
    }
    const stream = this.streamOf(point, metric);
    const [part] = this.partsOf(stream, [], () => [withExtra(stream.labels, '__name__', name)]);
    if (part === undefined || !this.mayWrite(stream, part, point, metric)) return;
    let value: NativeHistogram;
    if (point.noValue) value = staleHistogram;
    else if (isDelta) {
      const before = part.histogram;
      this.undo(() => {
        part.histogram = before;
      });
      part.histogram = before === undefined ? point : addExponential(before, point);
      value = toNative(part.histogram);
    } else value = toNative(point);
    const startMs = this.startOf(part, point, metric);
    const timeMs = isDelta ? this.deltaTime(part, point) : msOf(point.timeNs);
    this.histograms.push({ series: part.series, timeMs, value, startMs });
    for (const exemplar of point.exemplars) this.exemplar(part.series, exemplar, point);
  }

  private summary(point: SummaryPoint, metric: MetricState): void {
    const { name } = metric;
    const stream = this.streamOf(point, metric);
    const quantiles = point.quantiles.map(({ quantile }) => quantile);
    const parts = this.partsOf(stream, quantiles, () => {
      const named = withExtra(stream.labels, '__name__', name);
      return [
        withExtra(stream.labels, '__name__', `${name}_count`),
        withExtra(stream.labels, '__name__', `${name}_sum`),
        ...quantiles.map((quantile) => withExtra(named, 'quantile', plainNumber(quantile))),
      ];
    });
    const [count, sum] = parts;
    if (!count || !sum || !this.mayWrite(stream, count, point, metric)) return;
    this.emit(sum, point, metric, point.sum);
    this.emit(count, point, metric, point.count);
    point.quantiles.forEach(({ value }, i) => {
      const part = parts[i + 2];
      if (part) this.emit(part, point, metric, value);
    });
  }

  private streamOf(point: Point, metric: MetricState): Stream {
    let key = metric.key;
    for (const [name, value] of point.attributes) {
      const text = attributeText(value);
      // With lengths, since names and values may hold whatever would separate them.
      key += `${name.length},${text.length},${name}${text}`;
    }
    return this.streams.stream(key, () => pointLabels(point.attributes, metric.resource.base));
  }

  private partsOf(stream: Stream, shape: readonly number[], labels: () => LabelSet[]): SeriesState[] {
    if (stream.parts.length === 0 || !sameNumbers(stream.shape, shape)) {
      stream.parts = labels().map((one) => this.streams.series(this.cluster, one));
      stream.shape = shape;
    }
    return stream.parts;
  }

  /** Whether the point follows what is known of its stream and series; counts it where not. */
  private mayWrite(stream: Stream, main: SeriesState, point: Point, { name, resource, isDelta }: MetricState): boolean {
    if (point.timeNs === 0n) {
      this.invalid.add(`a point of ${name} has no time`);
      return false;
    }
    const timeMs = msOf(point.timeNs);
    if (isDelta) {
      const before = stream.lastMs;
      if (timeMs <= before) {
        this.invalid.add(`delta point of ${name} at ${timeMs} ms is not newer than the one before`);
        return false;
      }
      this.undo(() => {
        stream.lastMs = before;
      });
      stream.lastMs = timeMs;
    } else if (!ownSeries(main, resource.writer, timeMs)) {
      const series = formatLabels(main.series.labels);
      this.doubled.add(
        `two senders write ${series}: give each a service.instance.id of its own; the newer one is kept`,
      );
      return false;
    }
    resource.firstMs = Math.min(resource.firstMs, timeMs);
    resource.lastMs = Math.max(resource.lastMs, timeMs);
    return true;
  }

  private emit(part: SeriesState, point: Point, metric: MetricState, value: number): void {
    let index = this.indexes.get(part);
    if (index === undefined) {
      index = this.samples.addSeries(part.series);
      this.indexes.set(part, index);
    }
    const { isDelta } = metric;
    this.starts.push(this.startOf(part, point, metric));
    const timeMs = isDelta ? this.deltaTime(part, point) : msOf(point.timeNs);
    if (point.noValue) {
      this.samples.addStale(index, timeMs);
      return;
    }
    if (isDelta) {
      const before = part.total;
      this.undo(() => {
        part.total = before;
      });
      part.total += value;
    }
    this.samples.add(index, timeMs, isDelta ? part.total : value);
  }

  /** When the counting began: of a total of deltas, with the first of them. NaN when nobody said. */
  private startOf(part: SeriesState, point: Point, { isDelta, accumulates }: MetricState): number {
    if (!accumulates) return Number.NaN;
    const own = point.startNs > 0n && point.startNs <= point.timeNs ? msOf(point.startNs) : Number.NaN;
    if (!isDelta) return own;
    if (part.lastMs === Number.NEGATIVE_INFINITY) {
      this.undo(() => {
        part.startMs = Number.NaN;
      });
      part.startMs = own;
    }
    return part.startMs;
  }

  /**
   * The time of a total. Streams that are one series here add up, whoever sends them, but their clocks differ: a total
   * never goes back in time.
   */
  private deltaTime(part: SeriesState, point: Point): number {
    const before = part.lastMs;
    this.undo(() => {
      part.lastMs = before;
    });
    part.lastMs = Math.max(msOf(point.timeNs), before + 1);
    return part.lastMs;
  }

  private exemplar(series: Series, exemplar: RawExemplar, point: Point): void {
    this.exemplars.push({
      series,
      timeMs: msOf(exemplar.timeNs || point.timeNs),
      value: exemplar.value,
      labels: exemplarLabels(exemplar),
    });
  }

  private targetInfos(resources: ReadonlyMap<Attributes, ResourceState>, families: Map<string, MetricMetadata>): void {
    for (const [attributes, { base, firstMs, lastMs }] of resources) {
      const labels = targetInfo(attributes, base);
      if (labels === undefined || firstMs === Number.POSITIVE_INFINITY) continue;
      families.set('target_info', { family: 'target_info', type: 'gauge', help: 'Target metadata', unit: '' });
      const index = this.samples.addSeries(this.streams.series(this.cluster, labels).series);
      for (let at = firstMs; at < lastMs && lastMs - firstMs < 1000 * TARGET_INFO_STEP_MS; at += TARGET_INFO_STEP_MS) {
        this.samples.add(index, at, 1);
        this.starts.push(Number.NaN);
      }
      this.samples.add(index, lastMs, 1);
      this.starts.push(Number.NaN);
    }
  }

  private finish(metadata: MetricMetadata[]): Translation {
    const { histograms, exemplars, invalid, doubled, points } = this;
    const samples = this.samples.finish();
    if (this.starts.some((start) => !Number.isNaN(start))) samples.startsMs = Float64Array.from(this.starts);
    const series = [...new Set(histograms.map((one) => one.series))];
    const numbers = new Map(series.map((one, i) => [one, i]));
    return {
      samples,
      histograms: {
        series,
        seriesOf: Uint32Array.from(histograms, (one) => numbers.get(one.series) ?? 0),
        timesMs: Float64Array.from(histograms, ({ timeMs }) => timeMs),
        values: histograms.map(({ value }) => value),
        startsMs: Float64Array.from(histograms, ({ startMs }) => startMs),
      },
      exemplars,
      metadata,
      invalid,
      doubled,
      points,
    };
  }
}

function judgeMetric(metric: ResourceMetric): string | undefined {
  if (metric.name === '') return 'a metric has no name';
  const { data } = metric;
  if ('temporality' in data && data.temporality === 'unspecified') {
    return `${data.kind} ${metric.name} has no aggregation temporality`;
  }
  return undefined;
}

/** A metric without data counts as one where it is refused. */
function countOf(data: MetricData): number {
  return data.kind === 'none' ? 1 : data.points.length;
}

function familyOf(metric: ResourceMetric): MetricMetadata {
  const { data, unit, description } = metric;
  const monotonic = data.kind === 'sum' && data.monotonic;
  const kind = monotonic ? 'monotonic' : data.kind === 'gauge' ? 'gauge' : 'other';
  return { family: metricName(metric.name, unit, kind), type: typeOf(data), help: description, unit };
}

function typeOf(data: MetricData): MetricType {
  if (data.kind === 'histogram' || data.kind === 'exponential-histogram') return 'histogram';
  if (data.kind === 'summary') return 'summary';
  return data.kind === 'sum' && data.monotonic ? 'counter' : 'gauge';
}

function msOf(timeNs: bigint): number {
  return Number(timeNs / 1_000_000n);
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}
