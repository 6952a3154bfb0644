import type { Window, WindowFunction } from './windows.ts';

/** Change per window with extrapolation to its bounds, as Prometheus' `extrapolatedRate` defines it. */

export const rate: WindowFunction = (window) => extrapolated(window, { counter: true, perSecond: true });
export const increase: WindowFunction = (window) => extrapolated(window, { counter: true, perSecond: false });
export const delta: WindowFunction = (window) => extrapolated(window, { counter: false, perSecond: false });
export const irate: WindowFunction = (window) => betweenLastTwo(window, { counter: true, perSecond: true });
export const idelta: WindowFunction = (window) => betweenLastTwo(window, { counter: false, perSecond: false });

interface Kind {
  /** Resets are bridged, and the extrapolation never goes below zero. */
  counter: boolean;
  perSecond: boolean;
}

/** A bound farther than this many sample intervals away is not extrapolated to. */
const THRESHOLD = 1.1;

function extrapolated(window: Window, kind: Kind): number | undefined {
  const { timesMs, values, from, to } = window;
  const intervals = to - from - 1;
  if (intervals < 1) return undefined;
  const first = values[from] ?? 0;
  const firstMs = timesMs[from] ?? 0;
  const lastMs = timesMs[to - 1] ?? 0;
  let change = (values[to - 1] ?? 0) - first;
  if (kind.counter) change += bridgedResets(values, from, to);

  const sampled = (lastMs - firstMs) / 1000;
  const interval = sampled / intervals;
  let toStart = (firstMs - window.startMs) / 1000;
  let toEnd = (window.endMs - lastMs) / 1000;
  if (toStart >= interval * THRESHOLD) toStart = interval / 2;
  if (kind.counter && change > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / change));
  if (toEnd >= interval * THRESHOLD) toEnd = interval / 2;

  let factor = (sampled + toStart + toEnd) / sampled;
  if (kind.perSecond) factor /= (window.endMs - window.startMs) / 1000;
  return change * factor;
}

/** What was counted before each reset; NaN never makes one. */
function bridgedResets(values: Float64Array, from: number, to: number): number {
  let bridged = 0;
  let previous = values[from] ?? 0;
  for (let i = from + 1; i < to; i++) {
    const value = values[i] ?? 0;
    if (value < previous) bridged += previous;
    previous = value;
  }
  return bridged;
}

function betweenLastTwo(window: Window, kind: Kind): number | undefined {
  if (window.to - window.from < 2) return undefined;
  const last = window.values[window.to - 1] ?? 0;
  const previous = window.values[window.to - 2] ?? 0;
  const elapsed = (window.timesMs[window.to - 1] ?? 0) - (window.timesMs[window.to - 2] ?? 0);
  const change = kind.counter && last < previous ? last : last - previous;
  return kind.perSecond ? change / (elapsed / 1000) : change;
}
