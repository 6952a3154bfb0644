import type { SampleBatch, Series } from '../model/index.ts';

/** The samples that `keep` accepts, with only the series they belong to. Values move as bits. */
export function keepSamples(batch: SampleBatch, keep: (index: number) => boolean): SampleBatch {
  const length = batch.values.length;
  const { series, indexOf } = keepSeries(batch.series);
  const seriesOf = new Uint32Array(length);
  const timesMs = new Float64Array(length);
  const values = new Float64Array(length);
  const startsMs = batch.startsMs === undefined ? undefined : new Float64Array(length);
  const from = new Uint32Array(batch.values.buffer, batch.values.byteOffset, length * 2);
  const to = new Uint32Array(values.buffer);
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (!keep(i)) continue;
    const index = indexOf(batch.seriesOf[i] ?? 0);
    if (index === undefined) continue;
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

/** The series that are asked for by their old index, in that order. */
export function keepSeries(all: readonly Series[]): { series: Series[]; indexOf(old: number): number | undefined } {
  const newIndex = new Map<number, number>();
  const series: Series[] = [];
  return {
    series,
    indexOf(old) {
      const known = newIndex.get(old);
      if (known !== undefined) return known;
      const kept = all[old];
      if (kept === undefined) return undefined;
      const index = series.push(kept) - 1;
      newIndex.set(old, index);
      return index;
    },
  };
}
