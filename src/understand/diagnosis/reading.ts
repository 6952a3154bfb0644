import { type CanonicalSignal, type EntityRef, findSignal, type Stat } from '../../model/index.ts';
import { finite, median } from './robust.ts';
import { findShift, type Shift, type ShiftQuestion } from './shift.ts';
import { type Frame, timeAt } from './window.ts';

/** One signal of one entity over the frame, with what it was before and during. */
export interface Reading {
  signal: string;
  stat: Stat | undefined;
  unit: string;
  entity: EntityRef;
  /** On the frame's grid; NaN where there is none. */
  values: Float64Array;
  /** Medians; NaN when there are no values. */
  before: number;
  during: number;
  query: { language: 'promql' | 'api'; text: string };
}

/** The change as a factor; NaN without a value on either side or with nothing before. */
export function ratio(reading: Reading | undefined): number {
  return reading && reading.before > 0 ? reading.during / reading.before : Number.NaN;
}

export function difference(reading: Reading | undefined): number {
  return reading ? reading.during - reading.before : Number.NaN;
}

export function has(reading: Reading | undefined): reading is Reading {
  return reading !== undefined && Number.isFinite(reading.during);
}

export function measure(
  frame: Frame,
  series: {
    signal: string;
    stat: Stat | undefined;
    unit: string;
    entity: EntityRef;
    values: Float64Array;
    query: Reading['query'];
  },
): Reading {
  return {
    ...series,
    before: median(within(series.values, frame, frame.baseline)),
    during: median(within(series.values, frame, frame.during)),
  };
}

/** The values whose times lie in the range, both ends included. */
export function within(values: Float64Array, frame: Frame, range: { from: number; to: number }): number[] {
  return finite(values.filter((_, i) => timeAt(frame, i) >= range.from && timeAt(frame, i) <= range.to));
}

/** When and how the signal itself moved in the asked direction, whatever the frame calls before and during. */
export function shiftOf(reading: Reading, frame: Frame, direction: 'up' | 'down', least?: number): Shift | undefined {
  const signal = findSignal(reading.signal);
  if (!signal) return undefined;
  const smooth = signal.shape !== 'gauge' || signal.aggregate === 'share';
  return findShift(reading.values, {
    direction,
    ...scaleOf(signal, reading.unit),
    ...(least === undefined ? {} : { least }),
    // A rate shares its samples with its neighbours; a gauge of a queue or a temperature remembers a little, too.
    correlated: smooth ? Math.max(1, (frame.rateSeconds * 1000) / frame.step / spacing(reading.values)) : 2,
  });
}

function scaleOf(signal: CanonicalSignal, unit: string): Pick<ShiftQuestion, 'scale' | 'least'> {
  if (unit === 'ratio') return { scale: 'difference', least: 0.05 };
  if (unit === '°C') return { scale: 'difference', least: 5 };
  if (signal.shape === 'gauge' && unit === '1') return { scale: 'count', least: 1 };
  return { scale: 'ratio', least: 1.1 };
}

/** How many steps lie between neighbouring values: more than one where the source is coarser than the grid. */
function spacing(values: Float64Array): number {
  const first = values.findIndex(Number.isFinite);
  const last = values.findLastIndex(Number.isFinite);
  const count = finite(values).length;
  return count < 2 ? 1 : Math.max(1, (last - first) / (count - 1));
}
