import type { SampleBatch, Series } from '../model/index.ts';

/** The samples that `keep` accepts, with only the series they belong to. Values move as bits. */
export function keepSamples(batch: SampleBatch, keep: (index: number) => boolean): SampleBatch {
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
