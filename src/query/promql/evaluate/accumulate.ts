import type { AggregationOperator } from '../syntax/index.ts';
import { CompensatedSum, RunningMean } from './sums.ts';

/** One number from many, one after the other; after `reset` it begins anew. */
export interface Accumulator {
  reset(): void;
  add(value: number): void;
  result(): number;
}

/** The aggregations that keep one number per group and point. */
export const ACCUMULATORS: Readonly<Partial<Record<AggregationOperator, () => Accumulator>>> = {
  sum: () => {
    const sum = new CompensatedSum();
    return { reset: () => sum.reset(), add: (value) => sum.add(value), result: () => sum.total() };
  },
  avg: () => {
    const mean = new RunningMean();
    return { reset: () => mean.reset(), add: (value) => mean.add(value), result: () => mean.mean() };
  },
  count: () => {
    let count = 0;
    return {
      reset: () => {
        count = 0;
      },
      add: () => count++,
      result: () => count,
    };
  },
  group: () => ({ reset() {}, add() {}, result: () => 1 }),
  min: () => extreme((value, best) => value < best),
  max: () => extreme((value, best) => value > best),
  stdvar: variance,
  stddev: () => {
    const inner = variance();
    return { ...inner, result: () => Math.sqrt(inner.result()) };
  },
};

/** NaN counts only when there is nothing else. */
function extreme(beats: (value: number, best: number) => boolean): Accumulator {
  let best = Number.NaN;
  return {
    reset: () => {
      best = Number.NaN;
    },
    add: (value) => {
      if (beats(value, best) || Number.isNaN(best)) best = value;
    },
    result: () => best,
  };
}

/** Welford's method; anything that is not finite makes it NaN. */
function variance(): Accumulator {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    reset: () => {
      count = 0;
      mean = 0;
      squares = 0;
    },
    add: (value) => {
      count++;
      const delta = value - mean;
      mean += delta / count;
      squares += Number.isFinite(value) ? delta * (value - mean) : Number.NaN;
    },
    result: () => squares / count,
  };
}
