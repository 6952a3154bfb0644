import { CompensatedSum } from './sums.ts';
import type { Window, WindowFunction } from './windows.ts';

/** Slope per second of the least-squares line. */
export const deriv: WindowFunction = (window) =>
  window.to - window.from < 2 ? undefined : fitLine(window, window.timesMs[window.from] ?? 0).slope;

/** Where the least-squares line will be in so many seconds from the evaluation time. */
export const predictLinear: WindowFunction = (window) => {
  if (window.to - window.from < 2) return undefined;
  const { slope, intercept } = fitLine(window, window.atMs);
  return slope * (window.params[0]?.[window.step] ?? 0) + intercept;
};

/** Least squares with compensated sums; `originMs` is where x is zero. A constant series has slope zero exactly. */
function fitLine(window: Window, originMs: number): { slope: number; intercept: number } {
  const [sumX, sumY, sumXY, sumXX] = [
    new CompensatedSum(),
    new CompensatedSum(),
    new CompensatedSum(),
    new CompensatedSum(),
  ];
  const first = window.values[window.from] ?? 0;
  let isConstant = true;
  for (let i = window.from; i < window.to; i++) {
    const y = window.values[i] ?? 0;
    if (y !== first) isConstant = false;
    const x = ((window.timesMs[i] ?? 0) - originMs) / 1000;
    sumX.add(x);
    sumY.add(y);
    sumXY.add(x * y);
    sumXX.add(x * x);
  }
  if (isConstant) {
    return Number.isFinite(first) ? { slope: 0, intercept: first } : { slope: Number.NaN, intercept: Number.NaN };
  }
  const n = window.to - window.from;
  const [x, y, xy, xx] = [sumX, sumY, sumXY, sumXX].map((sum) => sum.sum + sum.compensation) as [
    number,
    number,
    number,
    number,
  ]; // four in, four out
  const slope = (xy - (x * y) / n) / (xx - (x * x) / n);
  return { slope, intercept: y / n - (slope * x) / n };
}
