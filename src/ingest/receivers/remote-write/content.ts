import {
  type Exemplar,
  explainInvalidHistogram,
  formatLabels,
  type HistogramBatch,
  type MetricMetadata,
  type NativeHistogram,
  type SampleBatch,
  type Series,
} from '../../../model/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { SampleBuilder } from '../wire/index.ts';
import type { ReadHistogram } from './histogram.ts';

/** What one request holds, whatever the version of its message. */
export interface WriteContent {
  samples: SampleBatch;
  histograms: HistogramBatch;
  exemplars: Exemplar[];
  metadata: MetricMetadata[];
  /** Samples and native histograms without a valid series or shape; their neighbours are in. */
  invalid: Invalid[];
}

type Fault = 'labels' | 'content';

export interface Invalid {
  kind: 'samples' | 'histograms' | 'exemplars';
  /** What is wrong; version 1.0 does not hold labels against the request. */
  fault: Fault;
  count: number;
  example: string;
}

/** A series that was seen before, with its place in the request that last held it. */
export interface KnownSeries {
  series: Series;
  /** Why the labels are not valid, or empty. */
  because: string;
  request: number;
  /** Place among the series of samples and of histograms; -1: not there yet. */
  ofSamples: number;
  ofHistograms: number;
}

/** Collects the parts of one request. */
export class WriteContentBuilder {
  readonly samples: SampleBuilder;
  readonly exemplars: Exemplar[] = [];
  readonly metadata: MetricMetadata[] = [];
  private readonly request: number;
  private readonly invalid = new Map<string, Invalid>();
  private readonly histogramSeries: Series[] = [];
  private readonly histogramSeriesOf: number[] = [];
  private readonly histogramTimes: number[] = [];
  private readonly histogramStarts: number[] = [];
  private readonly histograms: NativeHistogram[] = [];
  /** Start times of samples by their index; most have none. */
  private sampleStarts: [index: number, startMs: number][] = [];

  /** `request` differs between requests that share known series. */
  constructor(request: number, capacity: number) {
    this.request = request;
    this.samples = new SampleBuilder(capacity);
  }

  /** The place of a series among those that have samples. */
  placeForSamples(known: KnownSeries): number {
    this.meet(known);
    if (known.ofSamples < 0) known.ofSamples = this.samples.addSeries(known.series);
    return known.ofSamples;
  }

  /** The first that is said about a sample holds. */
  startOfSample(index: number, startMs: number): void {
    this.sampleStarts.push([index, startMs]);
  }

  addHistogram(known: KnownSeries, { value, timeMs, startMs }: ReadHistogram): void {
    const because = explainInvalidHistogram(value);
    if (because !== undefined) {
      this.refuse('histograms', 'content', 1, () => `${because} for series ${seriesText(known.series)}`);
      return;
    }
    this.meet(known);
    if (known.ofHistograms < 0) known.ofHistograms = this.histogramSeries.push(known.series) - 1;
    this.histogramSeriesOf.push(known.ofHistograms);
    this.histogramTimes.push(timeMs);
    this.histogramStarts.push(startMs);
    this.histograms.push(value);
  }

  refuse(kind: Invalid['kind'], fault: Fault, count: number, example: () => string): void {
    const key = `${kind} ${fault}`;
    const known = this.invalid.get(key);
    if (known !== undefined) known.count += count;
    else this.invalid.set(key, { kind, fault, count, example: example() });
  }

  finish(): WriteContent {
    const samples = this.samples.finish();
    if (this.sampleStarts.length > 0) {
      const startsMs = new Float64Array(samples.values.length).fill(Number.NaN);
      for (const [index, startMs] of this.sampleStarts) {
        if (Number.isNaN(startsMs[index])) startsMs[index] = startMs;
      }
      samples.startsMs = startsMs;
    }
    const histograms: HistogramBatch = {
      series: this.histogramSeries,
      seriesOf: Uint32Array.from(this.histogramSeriesOf),
      timesMs: Float64Array.from(this.histogramTimes),
      values: this.histograms,
    };
    if (this.histogramStarts.some((start) => !Number.isNaN(start))) {
      histograms.startsMs = Float64Array.from(this.histogramStarts);
    }
    return {
      samples,
      histograms,
      exemplars: this.exemplars,
      metadata: this.metadata,
      invalid: [...this.invalid.values()],
    };
  }

  private meet(known: KnownSeries): void {
    if (known.request === this.request) return;
    known.request = this.request;
    known.ofSamples = -1;
    known.ofHistograms = -1;
  }
}

export function seriesText(series: Series): string {
  return redactText(formatLabels(series.labels)).slice(0, 300);
}
