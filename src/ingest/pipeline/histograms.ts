import {
  type Exemplar,
  formatLabels,
  type HistogramBatch,
  type LabelSet,
  type NativeHistogram,
  type Series,
} from '../../model/index.ts';
import { keepSeries } from '../keep-samples.ts';
import type { BatchOrigin } from '../sink.ts';
import { explainTime, judgeTime, type TimeWindow } from './accept-times.ts';
import type { Redactor } from './redact.ts';
import type { Rejections } from './rejections.ts';
import type { SeriesGate } from './series-gate.ts';

/**
 * Characters of an exemplar's labels. OpenMetrics allows 128, but OpenTelemetry's exemplars carry the attributes that
 * the series has not, which is often more.
 */
const MAX_EXEMPLAR_LENGTH = 2048;

/** Redaction, cluster and limits of the series of native histograms, and their times. */
export function createHistogramsStep(gate: SeriesGate) {
  return (batch: HistogramBatch, origin: BatchOrigin, window: TimeWindow, rejections: Rejections): HistogramBatch => {
    const { series, refused } = gate.pass(batch.series, origin);
    const refusedSamples = new Map<number, number>();
    const kept = keepHistograms({ ...batch, series }, (i) => {
      const of = batch.seriesOf[i] ?? 0;
      if (refused.has(of)) {
        refusedSamples.set(of, (refusedSamples.get(of) ?? 0) + 1);
        return false;
      }
      const time = batch.timesMs[i] ?? 0;
      const misplaced = judgeTime(time, window);
      if (misplaced === undefined) return true;
      rejections.add('samples', misplaced, () => {
        return `native histogram of ${seriesText(series[of])} ${explainTime(misplaced, time, window)}`;
      });
      return false;
    });
    for (const [index, refusal] of refused) gate.count(refusal, refusedSamples.get(index) ?? 0, rejections);
    return kept;
  };
}

function keepHistograms(batch: HistogramBatch, keep: (index: number) => boolean): HistogramBatch {
  const { series, indexOf } = keepSeries(batch.series);
  const seriesOf: number[] = [];
  const timesMs: number[] = [];
  const startsMs: number[] = [];
  const values: NativeHistogram[] = [];
  for (const [i, value] of batch.values.entries()) {
    if (!keep(i)) continue;
    const index = indexOf(batch.seriesOf[i] ?? 0);
    if (index === undefined) continue;
    seriesOf.push(index);
    timesMs.push(batch.timesMs[i] ?? 0);
    startsMs.push(batch.startsMs?.[i] ?? Number.NaN);
    values.push(value);
  }
  return {
    series,
    seriesOf: Uint32Array.from(seriesOf),
    timesMs: Float64Array.from(timesMs),
    values,
    ...(batch.startsMs === undefined ? {} : { startsMs: Float64Array.from(startsMs) }),
  };
}

/**
 * Exemplars go with their series: through the same gate, within the same times, their own labels redacted. Those of a
 * series that is refused are refused with it.
 */
export function createExemplarsStep(gate: SeriesGate, redactor: Redactor) {
  return (
    exemplars: readonly Exemplar[],
    origin: BatchOrigin,
    window: TimeWindow,
    rejections: Rejections,
  ): Exemplar[] => {
    const distinct = [...new Set(exemplars.map(({ series }) => series))];
    const { series, refused } = gate.pass(distinct, origin);
    const indexes = new Map(distinct.map((raw, index) => [raw, index]));
    return exemplars.flatMap((raw) => {
      const index = indexes.get(raw.series) ?? -1;
      const owner = series[index];
      const refusal = refused.get(index);
      if (refusal !== undefined || owner === undefined) {
        rejections.add('exemplars', refusal?.reason ?? 'invalid', () => refusal?.because() ?? '');
        return [];
      }
      const misplaced = judgeTime(raw.timeMs, window);
      if (misplaced !== undefined) {
        const text = () => `exemplar of ${seriesText(owner)} ${explainTime(misplaced, raw.timeMs, window)}`;
        rejections.add('exemplars', misplaced, text);
        return [];
      }
      const length = lengthOf(raw.labels);
      if (length > MAX_EXEMPLAR_LENGTH) {
        const text = () =>
          `exemplar of ${seriesText(owner)} has labels of ${length} characters, more than ${MAX_EXEMPLAR_LENGTH}`;
        rejections.add('exemplars', 'limit_labels', text);
        return [];
      }
      return [{ ...raw, series: owner, labels: redactor.labels(raw.labels) }];
    });
  };
}

function lengthOf(labels: LabelSet): number {
  return labels.reduce((sum, text) => sum + text.length, 0);
}

function seriesText(series: Series | undefined): string {
  return formatLabels(series?.labels ?? []).slice(0, 500);
}
