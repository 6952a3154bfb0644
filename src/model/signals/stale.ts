/**
 * Prometheus' stale marker: a NaN with the payload 0x7ff0000000000002, which says that a series ended.
 * Its bits survive only where values are moved as bits or inside a Float64Array; a copy through a JavaScript number
 * may make it an ordinary NaN.
 */
const STALE_LOW = 2;
const STALE_HIGH = 0x7ff00000;

/** Whether the value at `index` is the stale marker. */
export function isStaleAt(values: Float64Array, index: number): boolean {
  const words = new Uint32Array(values.buffer, values.byteOffset + index * 8, 2);
  return words[0] === STALE_LOW && words[1] === STALE_HIGH;
}

/** Writes the stale marker at `index`, bit for bit. */
export function setStaleAt(values: Float64Array, index: number): void {
  const words = new Uint32Array(values.buffer, values.byteOffset + index * 8, 2);
  words[0] = STALE_LOW;
  words[1] = STALE_HIGH;
}
