import { expect, it } from 'vitest';
import {
  formatAgo,
  formatExact,
  formatMinute,
  formatMoment,
  formatRange,
  formatTimeTicks,
  fromLocalInput,
  toLocalInput,
  zoneName,
} from './time.ts';

const at = (text: string) => Date.parse(text);
const NOW = at('2026-12-01T12:30:00Z');
const BERLIN = 'Europe/Berlin';

it('writes moments in the page’s zone, with the day only when it is not today there', () => {
  expect(formatMoment(at('2026-12-01T11:04:31Z'), BERLIN, NOW)).toBe('12:04:31');
  expect(formatMoment(at('2026-12-01T11:04:31Z'), 'UTC', NOW)).toBe('11:04:31');
  expect(formatMoment(at('2026-11-30T23:30:00Z'), BERLIN, NOW)).toBe('00:30:00');
  expect(formatMoment(at('2026-11-30T23:30:00Z'), 'UTC', NOW)).toBe('30 Nov 23:30');
  expect(formatMoment(at('2025-12-01T11:04:00Z'), 'UTC', NOW)).toBe('1 Dec 2025 11:04');
  expect(formatMinute(at('2026-12-01T11:04:31Z'), BERLIN, NOW)).toBe('12:04');
  expect(formatExact(at('2026-12-01T11:04:31Z'), 'UTC')).toBe('1 Dec 2026 11:04:31 UTC');
});

it('names the zone as it is called at the time', () => {
  expect(zoneName(BERLIN, NOW)).toBe('CET');
  expect(zoneName(BERLIN, at('2026-07-01T00:00:00Z'))).toBe('CEST');
  expect(zoneName('UTC', NOW)).toBe('UTC');
});

it('writes ranges and ages', () => {
  const thin = (text: string) => text.replaceAll('\u2009', '_');
  expect(thin(formatRange(at('2026-12-01T11:00:00Z'), at('2026-12-01T12:00:00Z'), BERLIN, NOW))).toBe(
    '12:00 – 13:00, 1_h',
  );
  expect(thin(formatAgo(NOW - 4 * 60_000, NOW))).toBe('4_m ago');
  expect(thin(formatAgo(NOW + 30_000, NOW))).toBe('in 30_s');
  expect(formatAgo(NOW, NOW)).toBe('now');
});

it('reads back what it shows in an input, also around a change of clocks', () => {
  for (const text of ['2026-12-01T12:04:00Z', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', '2026-10-25T03:30:00Z'])
    for (const zone of [BERLIN, 'UTC', 'Asia/Kolkata', 'America/New_York'])
      expect(fromLocalInput(toLocalInput(at(text), zone), zone)).toBe(at(text));
  expect(fromLocalInput('yesterday', BERLIN)).toBeUndefined();
});

it('labels a time axis, with the day where a new one begins', () => {
  const ticks = ['2026-11-30T21:00:00Z', '2026-11-30T23:00:00Z', '2026-12-01T01:00:00Z'].map(at);
  expect(formatTimeTicks(ticks, BERLIN)).toEqual(['22:00', '1 Dec', '02:00']);
  expect(formatTimeTicks([at('2026-12-01T11:00:00Z'), at('2026-12-01T11:00:15Z')], 'UTC')).toEqual([
    '11:00:00',
    '11:00:15',
  ]);
});
