import { formatDuration } from './value.ts';

/** The zone of a whole page: `UTC` or the viewer's IANA name. */
export type Zone = string;

export const viewerZone: Zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `12:04:31` on the day of `now`, `1 Dec 12:04` within the year, else `1 Dec 2025 12:04`. */
export function formatMoment(ms: number, zone: Zone, now: number): string {
  const moment = partsOf(ms, zone);
  const today = partsOf(now, zone);
  if (dayKey(moment) === dayKey(today)) return `${moment.hour}:${moment.minute}:${moment.second}`;
  const year = moment.year === today.year ? '' : ` ${moment.year}`;
  return `${moment.day} ${moment.month}${year} ${moment.hour}:${moment.minute}`;
}

/** Hours and minutes, with the day in front when it is not today's: for sentences and lists. */
export function formatMinute(ms: number, zone: Zone, now: number): string {
  const text = formatMoment(ms, zone, now);
  return /^\d\d:\d\d:\d\d$/.test(text) ? text.slice(0, 5) : text;
}

/** Everything there is to say about a moment, for hovers and exports. */
export function formatExact(ms: number, zone: Zone): string {
  const p = partsOf(ms, zone);
  return `${p.day} ${p.month} ${p.year} ${p.hour}:${p.minute}:${p.second} ${zoneName(zone, ms)}`;
}

/** `12:00 – 13:00, 1 h`. */
export function formatRange(from: number, to: number, zone: Zone, now: number): string {
  const start = partsOf(from, zone);
  const end = partsOf(to, zone);
  const day = dayKey(start) === dayKey(end);
  const left = formatMinute(from, zone, now);
  const right = day ? `${end.hour}:${end.minute}` : formatMinute(to, zone, now);
  // Seconds of a length say nothing beside times in minutes.
  const length = to - from >= 600_000 ? Math.round((to - from) / 60_000) * 60 : Math.round((to - from) / 1000);
  return `${left} – ${right}, ${formatDuration(length).replace(/\.\d+/, '')}`;
}

/** `4 m ago`, `in 3 m`, `now`. Always shown with the absolute time on hover. */
export function formatAgo(ms: number, now: number): string {
  const seconds = Math.round((now - ms) / 1000);
  if (Math.abs(seconds) < 2) return 'now';
  const size = coarse(Math.abs(seconds));
  return seconds > 0 ? `${size} ago` : `in ${size}`;
}

/** How long ago, in one step: `42 s`, `6 m`, `3 h`, `2 d`. */
export function coarse(seconds: number): string {
  const steps: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const [size, symbol] = steps.find(([step]) => seconds >= step) ?? [1, 's'];
  return `${Math.floor(seconds / size)}\u2009${symbol}`;
}

/** The zone as it is called at that moment: `CET`, `CEST`, `UTC`. */
export function zoneName(zone: Zone, at: number): string {
  const parts = formatter(`name:${zone}`, () => ({ timeZone: zone, timeZoneName: 'short' })).formatToParts(at);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone;
}

/** `YYYY-MM-DDTHH:MM` in the zone, for an input of dates and times. */
export function toLocalInput(ms: number, zone: Zone): string {
  const p = partsOf(ms, zone);
  return `${p.year}-${String(MONTHS.indexOf(p.month) + 1).padStart(2, '0')}-${p.day.padStart(2, '0')}T${p.hour}:${p.minute}`;
}

/** Back from `YYYY-MM-DDTHH:MM` in the zone to milliseconds, or undefined when it is none. In the hour that a clock skips, the time after it. */
export function fromLocalInput(text: string, zone: Zone): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$/.test(text)) return undefined;
  const asUtc = Date.parse(`${text.replace(' ', 'T')}:00Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // The offset at the guess may differ from the one at the answer near a change of clocks: a second round settles it.
  let guess = asUtc;
  for (let round = 0; round < 2; round++) guess = asUtc - offsetAt(guess, zone);
  return guess;
}

/** Labels for the time axis: the time alone, with the day at the first tick of each day. */
export function formatTimeTicks(ticks: readonly number[], zone: Zone): string[] {
  const gap = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  let before = '';
  return ticks.map((ms, i) => {
    const p = partsOf(ms, zone);
    const day = dayKey(p);
    const isNewDay = i > 0 && day !== before;
    before = day;
    if (gap >= 86_400_000 || isNewDay) return `${p.day} ${p.month}`;
    return gap > 0 && gap < 60_000 ? `${p.hour}:${p.minute}:${p.second}` : `${p.hour}:${p.minute}`;
  });
}

/** Milliseconds that the zone is ahead of UTC at that moment. */
export function offsetAt(ms: number, zone: Zone): number {
  const p = partsOf(ms, zone);
  const month = MONTHS.indexOf(p.month);
  const wall = Date.UTC(Number(p.year), month, Number(p.day), Number(p.hour), Number(p.minute), Number(p.second));
  return wall - Math.floor(ms / 1000) * 1000;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface MomentParts {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
  second: string;
}

function partsOf(ms: number, zone: Zone): MomentParts {
  const parts = formatter(`parts:${zone}`, () => ({
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })).formatToParts(ms);
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return {
    year: get('year'),
    month: MONTHS[Number(get('month')) - 1] ?? '',
    day: String(Number(get('day'))),
    hour: get('hour'),
    minute: get('minute'),
    second: get('second'),
  };
}

function dayKey(p: MomentParts): string {
  return `${p.year}-${p.month}-${p.day}`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(key: string, options: () => Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', options());
  formatters.set(key, made);
  return made;
}
