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
): { timesMs: Float64Array; values: Float64Array } {
  const isStale = staleTest(values);
  let kept = 0;
  for (let i = 0; i < values.length; i++) if (!isStale(i)) kept++;
  if (kept === values.length) return { timesMs, values };
  const result = { timesMs: new Float64Array(kept), values: new Float64Array(kept) };
  for (let i = 0, to = 0; i < values.length; i++) {
    if (isStale(i)) continue;
    result.timesMs[to] = timesMs[i] ?? 0;
    result.values[to] = values[i] ?? 0;
    to++;
  }
  return result;
}
