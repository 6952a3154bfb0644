import type { PhaseShare } from '../../model/index.ts';
import type { Readings } from './need.ts';
import { has } from './reading.ts';

/**
 * Mean seconds per phase before and during, and each phase's share of the whole change. What the engine's phases leave
 * of the end-to-end time is `other` (front end, detokenising). Empty without all of them.
 */
export function phasesFrom(readings: Readonly<Record<'e2e' | 'queue' | 'prefill' | 'decode', Readings>>): PhaseShare[] {
  const { e2e, queue, prefill, decode } = readings;
  const whole = e2e.one;
  const parts = [
    { phase: 'queue' as const, reading: queue.one },
    { phase: 'prefill' as const, reading: prefill.one },
    { phase: 'decode' as const, reading: decode.one },
  ].flatMap(({ phase, reading }) => (has(reading) ? [{ phase, before: reading.before, during: reading.during }] : []));
  if (!has(whole) || parts.length < 3) return [];
  const rest = (when: 'before' | 'during') =>
    Math.max(0, whole[when] - parts.reduce((total, part) => total + part[when], 0));
  const all = [...parts, { phase: 'other' as const, before: rest('before'), during: rest('during') }];
  const moved = all.reduce((total, part) => total + Math.max(0, part.during - part.before), 0);
  return all.map((part) => ({ ...part, share: moved > 0 ? Math.max(0, part.during - part.before) / moved : 0 }));
}
