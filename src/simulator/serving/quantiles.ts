/** The value at `rank` (0 to 1) of a distribution given by some of its quantiles, linear in between. */
export function sampleQuantiles(quantiles: readonly (readonly [number, number])[], rank: number): number {
  for (let i = 1; i < quantiles.length; i++) {
    const [fromRank, from] = quantiles[i - 1] ?? [0, 0];
    const [toRank, to] = quantiles[i] ?? [1, 0];
    if (rank <= toRank) return from + ((to - from) * (rank - fromRank)) / (toRank - fromRank);
  }
  return quantiles[quantiles.length - 1]?.[1] ?? 0;
}
