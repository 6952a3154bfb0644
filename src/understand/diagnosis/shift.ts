import { clamp, finite, median, quantile, spread } from './robust.ts';

/** A stretch of a series that lies on another level than the rest. Indices are those of the series. */
export interface Shift {
  /** First point on the new level. */
  start: number;
  /** One past the last point on it; the length of the series when it goes on. */
  end: number;
  /** Points between which the start lies with about 95 % certainty. */
  low: number;
  high: number;
  /** Medians outside and inside. */
  before: number;
  during: number;
  /** Distance of the levels in standard errors of their difference. */
  strength: number;
}

export interface ShiftQuestion {
  direction: 'up' | 'down';
  /** `ratio` judges multiples (latencies, rates, clocks), `difference` plain distances (shares, temperatures), `count` small numbers with zeros. */
  scale: 'ratio' | 'difference' | 'count';
  /** Smallest change that matters: a factor above 1 for `ratio`, a distance otherwise (for `count` on the values themselves). */
  least: number;
  /** Neighbouring points share data (a rate's range is longer than the step): how many points make one independent one. */
  correlated: number;
}

/** Fewer points than this on either side say nothing. */
const FEWEST_POINTS = 4;
/**
 * Standard errors between the levels. Far more than a single comparison would need, because the search looks at all
 * stretches: on pure noise (the test beside this) fewer than one series in a thousand passes.
 */
const LEAST_STRENGTH = 6;
/** Half the 99 % quantile of chi-square with one degree: how much worse a start may fit and still be possible. */
const LIKELIHOOD_DROP = 3.3;

/**
 * Finds the stretch whose level differs most from the rest in the asked direction, or undefined when nothing stands out
 * of the series' own noise. Least squares over all stretches (the epidemic change-point model: Levin and Kline, 1985)
 * on values cut at their outer percentiles. A stretch that begins with the series is not one: nothing says when it began.
 */
export function findShift(series: Float64Array, question: ShiftQuestion): Shift | undefined {
  const { values, index } = transformed(series, question.scale);
  const n = values.length;
  if (n < 2 * FEWEST_POINTS) return undefined;
  const sign = question.direction === 'up' ? 1 : -1;
  const prefix = prefixSums(values);
  const best = bestStretch(prefix, n, sign);
  if (!best || best.i < FEWEST_POINTS) return undefined;
  const { i, j } = best;
  const inside = values.slice(i, j);
  const outside = [...values.slice(0, i), ...values.slice(j)];
  const noise = Math.max(spread([...centred(inside), ...centred(outside)]), smallestNoise(question.scale));
  const distance = sign * (median(inside) - median(outside));
  const strength = (distance / noise) * Math.sqrt((inside.length * outside.length) / n / question.correlated);
  const original = (positions: readonly number[]) =>
    median(positions.map((position) => series[position] ?? Number.NaN));
  const before = original([...index.slice(0, i), ...index.slice(j)]);
  const during = original(index.slice(i, j));
  if (strength < LEAST_STRENGTH || !matters(before, during, question)) return undefined;
  const beyondUsual = quantile(
    outside.map((v) => sign * v),
    0.95,
  );
  if (sign * median(inside) <= beyondUsual) return undefined;
  const { low, high } = startInterval(prefix, i, j, noise, question.correlated, n);
  const at = (position: number) => index[position] ?? series.length;
  return { start: at(i), end: j === n ? series.length : at(j), low: at(low), high: at(high), before, during, strength };
}

function transformed(series: Float64Array, scale: ShiftQuestion['scale']): { values: number[]; index: number[] } {
  const index = Array.from(series.keys()).filter((i) => Number.isFinite(series[i]));
  const raw = index.map((i) => series[i] ?? 0);
  const positive = raw.filter((value) => value > 0);
  const floor = positive.length > 0 ? median(positive) / 100 : 1;
  const scaled = raw.map((value) =>
    scale === 'ratio' ? Math.log(Math.max(value, floor)) : scale === 'count' ? Math.log1p(Math.max(0, value)) : value,
  );
  const [lowest, highest] = [quantile(scaled, 0.02), quantile(scaled, 0.98)];
  return { values: scaled.map((value) => clamp(value, lowest, highest)), index };
}

function bestStretch(prefix: Float64Array, n: number, sign: number): { i: number; j: number } | undefined {
  let best: { i: number; j: number; gain: number } | undefined;
  for (let i = 0; i <= n - FEWEST_POINTS; i++) {
    for (let j = i + FEWEST_POINTS; j <= n; j++) {
      if (n - (j - i) < FEWEST_POINTS || (j !== n && n - j < 2)) continue;
      const gain = signedGain(prefix, i, j, n, sign);
      // A stretch that ends costs one more parameter; it must earn it.
      const worth = j === n ? gain : gain * 0.95;
      if (worth > 0 && (!best || worth > best.gain)) best = { i, j, gain: worth };
    }
  }
  return best;
}

/** How much the squared error falls when [i, j) has its own level; zero when that level is on the other side. */
function signedGain(prefix: Float64Array, i: number, j: number, n: number, sign: number): number {
  const inside = j - i;
  const outside = n - inside;
  const total = prefix[n] ?? 0;
  const within = (prefix[j] ?? 0) - (prefix[i] ?? 0);
  const distance = within / inside - (total - within) / outside;
  return sign * distance <= 0 ? 0 : (inside * outside * distance * distance) / n;
}

function startInterval(
  prefix: Float64Array,
  i: number,
  j: number,
  noise: number,
  correlated: number,
  n: number,
): { low: number; high: number } {
  const gainAt = (start: number) => Math.max(signedGain(prefix, start, j, n, 1), signedGain(prefix, start, j, n, -1));
  const tolerance = 2 * LIKELIHOOD_DROP * noise * noise * correlated;
  const possible = (start: number) => gainAt(i) - gainAt(start) <= tolerance;
  let low = i;
  while (low > 1 && possible(low - 1)) low--;
  let high = i;
  while (high < j - 1 && possible(high + 1)) high++;
  return { low, high };
}

function prefixSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, i) => {
    sums[i + 1] = (sums[i] ?? 0) + value;
  });
  return sums;
}

function centred(values: readonly number[]): number[] {
  const middle = median(values);
  return finite(values).map((value) => value - middle);
}

/** Series that hardly move at all would make any step look infinitely strong. */
function smallestNoise(scale: ShiftQuestion['scale']): number {
  return scale === 'ratio' ? 0.03 : scale === 'count' ? 0.05 : 0.005;
}

function matters(before: number, during: number, question: ShiftQuestion): boolean {
  const [low, high] = question.direction === 'up' ? [before, during] : [during, before];
  if (question.scale !== 'ratio') return high - low >= question.least;
  return high > 0 && (low <= 0 || high / low >= question.least);
}
