import { parseTime, type TimeRange } from '../../model/index.ts';
import { ApiError } from '../errors.ts';

const HOUR_MS = 3_600_000;

/** A time of the query string in milliseconds. Throws a `bad_request` that names the parameter. */
export function readTime(text: string, name: string, nowMs: number): number {
  const ms = parseTime(text, nowMs);
  if (ms === undefined) {
    throw new ApiError('bad_request', `${name}: ${JSON.stringify(text)} is no time`, {
      path: name,
      hint: 'RFC 3339, epoch seconds, now, or now-15m',
    });
  }
  return ms;
}

/** `from` and `to`, by default the last hour; `to` lies at most at now. */
export function readRange(query: { from?: string | undefined; to?: string | undefined }, nowMs: number): TimeRange {
  const to = Math.min(nowMs, query.to === undefined ? nowMs : readTime(query.to, 'to', nowMs));
  const from = query.from === undefined ? to - HOUR_MS : readTime(query.from, 'from', nowMs);
  if (from > to) throw new ApiError('bad_request', 'from must not lie after to or in the future', { path: 'from' });
  return { from, to };
}
