import { parseDuration } from '../../../model/index.ts';
import type { Cursor } from './cursor.ts';

/** A number, a duration (in seconds), `Inf` or `NaN`, with a sign or without. */
export function parseNumber(cursor: Cursor): number {
  const sign = cursor.takeSign();
  const token = cursor.peek();
  if (cursor.takeWord('inf')) return sign * Number.POSITIVE_INFINITY;
  if (cursor.takeWord('nan')) return Number.NaN;
  if (token.kind !== 'number' && token.kind !== 'duration') throw cursor.unexpected('', 'number');
  cursor.next();
  return sign * numberOf(token.text);
}

/** The value of a number or duration as written. */
export function numberOf(text: string): number {
  const duration = /[a-z]$/.test(text) && !/^0x/i.test(text) ? parseDuration(text) : undefined;
  return duration === undefined ? Number(text.replaceAll('_', '')) : duration / 1000;
}
