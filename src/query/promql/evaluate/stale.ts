import type { Histograms, SampleRow } from './values.ts';

/** Words of the stale marker on a little-endian machine; see `model/signals/stale.ts`. */
const LOW = 2;
const HIGH = 0x7ff00000;

/** A look at many values for stale markers without making an object for each. */
export function staleTest(values: Float64Array): (index: number) => boolean {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  return (index) => words[2 * index] === LOW && words[2 * index + 1] === HIGH;
}

/** The samples without stale markers, as views when there are none. */
export function withoutStale(
  timesMs: Float64Array,
  values: Float64Array,
  histograms?: Histograms,
): Pick<SampleRow, 'timesMs' | 'values' | 'histograms'> {
  const isStale = staleTest(values);
  let kept = 0;
  for (let i = 0; i < values.length; i++) if (!isStale(i)) kept++;
  const given = histograms?.some((histogram) => histogram !== undefined) ? histograms : undefined;
  if (kept === values.length) return { timesMs, values, ...(given && { histograms: given }) };
  const keptHistograms: Histograms = [];
  const result = {
    timesMs: new Float64Array(kept),
    values: new Float64Array(kept),
    ...(given && { histograms: keptHistograms }),
  };
  for (let i = 0, to = 0; i < values.length; i++) {
    if (isStale(i)) continue;
    result.timesMs[to] = timesMs[i] ?? 0;
    result.values[to] = values[i] ?? 0;
    if (given) keptHistograms[to] = given[i];
    to++;
  }
  return result;
}
