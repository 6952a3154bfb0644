import { formatLabels, type SampleBatch, type Series, UNKNOWN_CLUSTER } from '../../model/index.ts';
import type { BatchOrigin } from '../sink.ts';
import { explainTime, judgeTime, type TimeWindow } from './accept-times.ts';
import { seriesCluster } from './enrich.ts';
import { type CardinalityLimiter, type CardinalityRefusal, hashSeries } from './limit-cardinality.ts';
import type { Redactor } from './redact.ts';
import type { Rejections } from './rejections.ts';

type Refusal = CardinalityRefusal | { reason: 'duplicate_value'; because: string };

/** What was decided about a series; holds while the limiter's generation is the same. */
interface Decision {
  generation: number;
  series: Series;
}

/**
 * Redaction, cluster and limits of series. Receivers hand in the same `Series` object for the same labels wherever
 * they can, so what was decided is remembered by object and a known series costs one look-up.
 */
export function createSamplesStep(redactor: Redactor, limiter: CardinalityLimiter) {
  const decisions = new WeakMap<Series, Decision>();

  /** By masked series, the one that it stands for: two that differ only in what is masked must not become one. */
  const owners = new Map<number, { raw: number; generation: number }>();
  let swept = 0;

  /** Whether another series, seen in this generation or the one before, has become these same masked labels. */
  const isTaken = (raw: Series, masked: Series, generation: number): boolean => {
    if (swept !== generation) {
      for (const [key, owner] of owners) if (owner.generation < generation - 1) owners.delete(key);
      swept = generation;
    }
    const key = hashSeries(masked);
    const own = hashSeries(raw);
    const owner = owners.get(key);
    if (owner !== undefined && owner.raw !== own) return true;
    owners.set(key, { raw: own, generation });
    return false;
  };

  /** The series as it is to be stored, or why it is not. */
  const decide = (raw: Series, origin: BatchOrigin, generation: number): Series | Refusal => {
    const known = decisions.get(raw);
    if (known !== undefined && known.generation === generation) return known.series;
    const labels = redactor.labels(raw.labels);
    const cluster =
      raw.cluster && raw.cluster !== UNKNOWN_CLUSTER ? raw.cluster : seriesCluster(labels, origin.cluster);
    const series = labels === raw.labels && cluster === raw.cluster ? raw : (known?.series ?? { labels, cluster });
    const refusal = limiter.admit(series);
    if (refusal !== undefined) return refusal; // not remembered: it is admitted once there is room
    if (labels !== raw.labels && isTaken(raw, series, generation)) {
      const because = `${formatLabels(labels).slice(0, 500)} differs from another series only in what is masked; that one is kept`;
      return { reason: 'duplicate_value', because };
    }
    decisions.set(raw, { generation, series });
    return series;
  };

  return (batch: SampleBatch, origin: BatchOrigin, window: TimeWindow, rejections: Rejections): SampleBatch => {
    const generation = limiter.generation();
    const refusals = new Map<number, Refusal>();
    const series = batch.series.map((raw, index) => {
      const decided = decide(raw, origin, generation);
      if ('labels' in decided) return decided;
      refusals.set(index, decided);
      return raw;
    });
    if (refusals.size === 0 && allWithin(batch.timesMs, window)) return { ...batch, series };
    return keepSamples({ ...batch, series }, (i) => {
      const of = batch.seriesOf[i] ?? 0;
      const refusal = refusals.get(of);
      if (refusal !== undefined) {
        rejections.add('samples', refusal.reason, () => refusal.because);
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
    to[count * 2] = from[i * 2] ?? 0;
    to[count * 2 + 1] = from[i * 2 + 1] ?? 0;
    count++;
  }
  return {
    series,
    seriesOf: seriesOf.subarray(0, count),
    timesMs: timesMs.subarray(0, count),
    values: values.subarray(0, count),
  };
}
