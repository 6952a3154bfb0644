import { formatLabels, type SampleBatch } from '../../model/index.ts';
import { keepSamples } from '../keep-samples.ts';
import type { BatchOrigin } from '../sink.ts';
import { explainTime, judgeTime, type TimeWindow } from './accept-times.ts';
import type { Rejections } from './rejections.ts';
import type { SeriesGate } from './series-gate.ts';

/** Redaction, cluster and limits of the series, then the times of their samples. A batch without fault costs nothing per sample but a look at its time. */
export function createSamplesStep(gate: SeriesGate) {
  return (batch: SampleBatch, origin: BatchOrigin, window: TimeWindow, rejections: Rejections): SampleBatch => {
    const { series, refused } = gate.pass(batch.series, origin);
    if (refused.size === 0 && allWithin(batch.timesMs, window)) return { ...batch, series };
    const refusedSamples = new Uint32Array(refused.size === 0 ? 0 : series.length);
    const kept = keepSamples({ ...batch, series }, (i) => {
      const of = batch.seriesOf[i] ?? 0;
      if (refused.size > 0 && refused.has(of)) {
        refusedSamples[of] = (refusedSamples[of] ?? 0) + 1;
        return false;
      }
      const time = batch.timesMs[i] ?? 0;
      const misplaced = judgeTime(time, window);
      if (misplaced === undefined) return true;
      rejections.add('samples', misplaced, () => {
        const labels = series[of]?.labels ?? [];
        return `sample of ${formatLabels(labels).slice(0, 500)} ${explainTime(misplaced, time, window)}`;
      });
      return false;
    });
    for (const [index, refusal] of refused) gate.count(refusal, refusedSamples[index] ?? 0, rejections);
    return kept;
  };
}

function allWithin(times: Float64Array, window: TimeWindow): boolean {
  for (let i = 0; i < times.length; i++) {
    const time = times[i] ?? 0;
    if (time < window.oldestMs || time > window.newestMs) return false;
  }
  return true;
}
