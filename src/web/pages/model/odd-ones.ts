/**
 * Which values stand apart from their siblings: those further from the middle than half of it, when most others are
 * close to it. With fewer than three there is no telling who is odd.
 */
export function oddOnes(values: readonly (number | undefined)[]): ReadonlySet<number> {
  const known = values.filter((v): v is number => v !== undefined).sort((a, b) => a - b);
  const middle = known[Math.floor(known.length / 2)];
  if (known.length < 3 || middle === undefined) return new Set();
  const isFar = (v: number | undefined) =>
    v !== undefined && Math.abs(v - middle) > Math.max(Math.abs(middle) * 0.3, 1e-9);
  const odd = values.flatMap((v, i) => (isFar(v) ? [i] : []));
  return new Set(odd.length * 2 < known.length ? odd : []);
}
