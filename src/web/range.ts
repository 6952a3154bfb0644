import { parseTime } from '../model/index.ts';
import { DEFAULT_FROM, DEFAULT_TO, type PageSearch } from './search.ts';

/** The time that a page shows, in milliseconds, on a grid of `step` seconds so that panels ask for the same points. */
export interface PageRange {
  from: number;
  to: number;
  step: number;
  /** The end moves with the clock. */
  isLive: boolean;
  /** Where its end stands, or that of the page's range which it was made of: from here distances are told. */
  anchor: number;
}

const STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];
const MINUTE = 60_000;

/** What the address says at `now`; a range that is empty or not readable becomes the last hour. */
export function resolveRange(search: PageSearch, now: number, points = 240): PageRange {
  const toText = search.to ?? DEFAULT_TO;
  const from = parseTime(search.from ?? DEFAULT_FROM, now);
  const to = parseTime(toText, now);
  const usable = from !== undefined && to !== undefined && to - from >= 1000;
  const [start, end] = usable ? [from, to] : [now - 60 * MINUTE, now];
  const step = stepFor(start, end, points);
  const grid = step * 1000;
  const late = Math.ceil(end / grid) * grid;
  const last = late > now ? late - grid : late;
  return { from: Math.floor(start / grid) * grid, to: last, step, isLive: toText.startsWith('now'), anchor: last };
}

/** The smallest handy step, at least 15 s, that gives no more than `points` points. */
export function stepFor(from: number, to: number, points: number): number {
  const wanted = (to - from) / 1000 / points;
  return STEPS.find((step) => step >= wanted && step >= 15) ?? 86_400;
}

/** Long enough before the range to know what is usual there; coarser, since only its middle is read. */
export function usualRange(range: PageRange): PageRange {
  const length = Math.max(3 * (range.to - range.from), 3 * 60 * MINUTE);
  return { ...range, from: range.from - length, to: range.from, step: stepFor(range.from - length, range.from, 120) };
}

/** The range before, by which `compare` shows how it was; undefined when nothing is compared. */
export function comparedRange(range: PageRange, compare: PageSearch['compare']): PageRange | undefined {
  if (compare === undefined) return undefined;
  const shift = { previous: range.to - range.from, day: 1440 * MINUTE, week: 7 * 1440 * MINUTE }[compare];
  return { ...range, from: range.from - shift, to: range.to - shift };
}

/** Addresses of neighbouring ranges: half a range back or forth, and twice as wide. */
export function shiftRange(range: PageRange, direction: -1 | 1, now: number): Pick<PageSearch, 'from' | 'to'> {
  const by = ((range.to - range.from) / 2) * direction;
  return absolute(range.from + by, range.to + by, now);
}

export function widenRange(range: PageRange, now: number): Pick<PageSearch, 'from' | 'to'> {
  const half = (range.to - range.from) / 2;
  return absolute(range.from - half, range.to + half, now);
}

/** A fixed range as an address; one that would end in the future ends now and keeps its length. */
export function absolute(from: number, to: number, now: number): Pick<PageSearch, 'from' | 'to'> {
  const late = Math.max(0, to - now);
  return { from: isoSecond(from - late), to: isoSecond(to - late) };
}

function isoSecond(ms: number): string {
  return `${new Date(Math.round(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

export interface QuickRange {
  label: string;
  from: string;
}

export const QUICK_RANGES: readonly QuickRange[] = [
  { label: 'Last 15 min', from: 'now-15m' },
  { label: 'Last 30 min', from: 'now-30m' },
  { label: 'Last 1 h', from: 'now-1h' },
  { label: 'Last 3 h', from: 'now-3h' },
  { label: 'Last 6 h', from: 'now-6h' },
  { label: 'Last 12 h', from: 'now-12h' },
  { label: 'Last 24 h', from: 'now-24h' },
  { label: 'Last 2 d', from: 'now-2d' },
  { label: 'Last 7 d', from: 'now-7d' },
  { label: 'Last 30 d', from: 'now-30d' },
];
