import { formatLabels, type SampleBatch, type Series } from '../../model/index.ts';
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

/** The samples that `keep` accepts, with only the series they belong to. Values move as bits. */
function keepSamples(batch: SampleBatch, keep: (index: number) => boolean): SampleBatch {
  const length = batch.values.length;
  const newIndex = new Map<number, number>();
  const series: Series[] = [];
  const seriesOf = new Uint32Array(length);
  const timesMs = new Float64Array(length);
  const values = new Float64Array(length);
  const startsMs = batch.startsMs === undefined ? undefined : new Float64Array(length);
  const from = new Uint32Array(batch.values.buffer, batch.values.byteOffset, length * 2);
  const to = new Uint32Array(values.buffer);
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (!keep(i)) continue;
    const of = batch.seriesOf[i] ?? 0;
    let index = newIndex.get(of);
    if (index === undefined) {
      const kept = batch.series[of];
      if (kept === undefined) continue;
      index = series.push(kept) - 1;
      newIndex.set(of, index);
    }
    seriesOf[count] = index;
    timesMs[count] = batch.timesMs[i] ?? 0;
    if (startsMs !== undefined) startsMs[count] = batch.startsMs?.[i] ?? Number.NaN;
    to[count * 2] = from[i * 2] ?? 0;
    to[count * 2 + 1] = from[i * 2 + 1] ?? 0;
    count++;
  }
  return {
    series,
    seriesOf: seriesOf.subarray(0, count),
    timesMs: timesMs.subarray(0, count),
    values: values.subarray(0, count),
    ...(startsMs === undefined ? {} : { startsMs: startsMs.subarray(0, count) }),
  };
}
