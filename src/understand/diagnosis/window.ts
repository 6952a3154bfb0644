import type { InvestigationRequest, Onset, TimeRange } from '../../model/index.ts';

/** The times of one investigation: what is fetched, and which parts count as before and during. */
export interface Frame {
  /** What is fetched, in milliseconds since the epoch; points lie at `from + i * step`. */
  from: number;
  to: number;
  step: number;
  /** Range of rates in seconds. */
  rateSeconds: number;
  baseline: TimeRange;
  during: TimeRange;
  onset: Onset | undefined;
}

const MINUTE = 60_000;
/** How far before the window a baseline is looked for when none is given. */
export const LOOKBACK_MS = 60 * MINUTE;
const MOST_POINTS = 200;
/** Two samples of a 60 s scrape, eight of a 15 s one. */
const LEAST_RATE_SECONDS = 120;
const FINEST_STEP_MS = 30_000;

/** Times to fetch and, until the onset is known, the window against all that lies before it. */
export function frameOf(request: InvestigationRequest): Frame {
  const { window, baseline } = request;
  const span = window.to - (baseline?.from ?? window.from - LOOKBACK_MS);
  const step = Math.max(FINEST_STEP_MS, Math.ceil(span / MOST_POINTS / 15_000) * 15_000);
  const to = Math.floor(window.to / step) * step;
  const earliest = Math.min(window.from - LOOKBACK_MS, baseline?.from ?? window.from);
  const from = Math.floor(earliest / step) * step;
  return {
    from,
    to,
    step,
    rateSeconds: Math.max(LEAST_RATE_SECONDS, (2 * step) / 1000),
    baseline: baseline ?? { from, to: window.from },
    during: window,
    onset: undefined,
  };
}

/** Once it is known when the symptom began (and ended), that is `during`, and the baseline ends before it. */
export function withOnset(frame: Frame, onset: Onset, endMs: number, given: TimeRange | undefined): Frame {
  const guard = Math.max(frame.step, onset.at - onset.low);
  return {
    ...frame,
    onset,
    baseline: given ?? { from: frame.from, to: onset.at - guard },
    during: { from: onset.at, to: endMs },
  };
}

export function timeAt(frame: Frame, index: number): number {
  return frame.from + index * frame.step;
}
