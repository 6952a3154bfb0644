import { quantileOf } from './quantile.ts';
import { CompensatedSum, RunningMean } from './sums.ts';
import type { Window, WindowFunction } from './windows.ts';

/** The `*_over_time` functions and their relatives: one number from the samples of a window. */

export const sumOverTime: WindowFunction = (window) => {
  const { sum, compensation } = finiteSum(window);
  if (Number.isFinite(sum)) return sum + compensation;
  const exact = new CompensatedSum();
  for (let i = window.from; i < window.to; i++) exact.add(window.values[i] ?? 0);
  return exact.total();
};

export const avgOverTime: WindowFunction = (window) => {
  const { sum, compensation } = finiteSum(window);
  const count = window.to - window.from;
  if (Number.isFinite(sum)) return sum / count + compensation / count;
  const mean = new RunningMean();
  for (let i = window.from; i < window.to; i++) mean.add(window.values[i] ?? 0);
  return mean.mean();
};

const total = { sum: 0, compensation: 0 };

/**
 * A compensated sum in local variables, since hundreds of millions of samples go through here. Only good while it is
 * finite; once it is not it stays so, and the caller takes the way that minds infinities. The result is reused.
 */
function finiteSum({ values, from, to }: Window): Readonly<typeof total> {
  let sum = 0;
  let compensation = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    const next = sum + value;
    compensation += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  total.sum = sum;
  total.compensation = compensation;
  return total;
}

export const countOverTime: WindowFunction = (window) => window.to - window.from;
export const presentOverTime: WindowFunction = () => 1;
export const firstOverTime: WindowFunction = (window) => window.values[window.from];
export const lastOverTime: WindowFunction = (window) => window.values[window.to - 1];
export const timeOfFirst: WindowFunction = (window) => secondsAt(window, window.from);
export const timeOfLast: WindowFunction = (window) => secondsAt(window, window.to - 1);

export const maxOverTime: WindowFunction = (window) => window.values[extreme(window, (value, best) => value > best)];
export const minOverTime: WindowFunction = (window) => window.values[extreme(window, (value, best) => value < best)];
/** Of equal extremes the latest counts. */
export const timeOfMax: WindowFunction = (window) =>
  secondsAt(
    window,
    extreme(window, (value, best) => value >= best),
  );
export const timeOfMin: WindowFunction = (window) =>
  secondsAt(
    window,
    extreme(window, (value, best) => value <= best),
  );

/** Where the best value is; NaN is beaten by anything. */
function extreme(window: Window, beats: (value: number, best: number) => boolean): number {
  let best = window.from;
  for (let i = window.from + 1; i < window.to; i++) {
    const value = window.values[i] ?? 0;
    const current = window.values[best] ?? 0;
    if (beats(value, current) || Number.isNaN(current)) best = i;
  }
  return best;
}

function secondsAt(window: Window, index: number): number {
  return (window.timesMs[index] ?? 0) / 1000;
}

/** Welford's method with compensated sums. */
export const varianceOverTime: WindowFunction = (window) => {
  const mean = new CompensatedSum();
  const squares = new CompensatedSum();
  let count = 0;
  for (let i = window.from; i < window.to; i++) {
    const value = window.values[i] ?? 0;
    count++;
    const delta = value - (mean.sum + mean.compensation);
    mean.add(delta / count);
    squares.add(delta * (value - (mean.sum + mean.compensation)));
  }
  return (squares.sum + squares.compensation) / count;
};

export const deviationOverTime: WindowFunction = (window) => Math.sqrt(varianceOverTime(window) ?? 0);

export const quantileOverTime: WindowFunction = (window) =>
  quantileOf(window.params[0]?.[window.step] ?? 0, window.values.slice(window.from, window.to));

/** The median of the distances from the median. */
export const medianDeviationOverTime: WindowFunction = (window) => {
  const values = window.values.slice(window.from, window.to);
  if (values.some(Number.isNaN)) return Number.NaN;
  const median = quantileOf(0.5, values);
  return quantileOf(
    0.5,
    values.map((value) => Math.abs(value - median)),
  );
};

export const changesOverTime: WindowFunction = (window) => {
  let changes = 0;
  for (let i = window.from + 1; i < window.to; i++) {
    const [previous, value] = [window.values[i - 1] ?? 0, window.values[i] ?? 0];
    if (value !== previous && !(Number.isNaN(value) && Number.isNaN(previous))) changes++;
  }
  return changes;
};

export const resetsOverTime: WindowFunction = (window) => {
  let resets = 0;
  for (let i = window.from + 1; i < window.to; i++) {
    if ((window.values[i] ?? 0) < (window.values[i - 1] ?? 0)) resets++;
  }
  return resets;
};

/** Holt's linear method: smoothing factor and trend factor are the parameters, both checked before. */
export const doubleExponentialSmoothing: WindowFunction = (window) => {
  if (window.to - window.from < 2) return undefined;
  const smoothing = window.params[0]?.[window.step] ?? 0;
  const trendFactor = window.params[1]?.[window.step] ?? 0;
  let previous = 0;
  let level = window.values[window.from] ?? 0;
  let trend = (window.values[window.from + 1] ?? 0) - level;
  for (let i = window.from + 1; i < window.to; i++) {
    if (i > window.from + 1) trend = trendFactor * (level - previous) + (1 - trendFactor) * trend;
    const next = smoothing * (window.values[i] ?? 0) + (1 - smoothing) * (level + trend);
    previous = level;
    level = next;
  }
  return level;
};
