import type { HealthStatus } from '../../../model/index.ts';
import { formatValue } from '../../format/index.ts';
import { type State, stateOfHealth } from '../state.ts';

export interface GpuEvidence {
  health: HealthStatus;
  reason: string | undefined;
  /** Newest shares of time, 0 to 1; undefined when not collected. */
  thermal: number | undefined;
  power: number | undefined;
  temperature: number | undefined;
  /** Any of the GPU's signals is fresh. */
  isSeen: boolean;
}

export interface GpuJudgement {
  state: State;
  /** `is well`, `is held down for heat 62 % of the time at 91 °C`: what follows its name. */
  words: string;
  kind: 'well' | 'throttled' | 'faulty' | 'silent';
}

/** From this share on, throttling is told: below, it is the usual short touch of a limit. */
const TELL_FROM = 0.05;

/** Throttling for heat is trouble; a power cap that is touched under load is normal and said without alarm. */
export function judgeGpu(e: GpuEvidence): GpuJudgement {
  if (!e.isSeen) return { state: 'stale', words: 'sends no telemetry', kind: 'silent' };
  if ((e.thermal ?? 0) >= TELL_FROM) {
    const at = e.temperature === undefined ? '' : ` at ${formatValue(e.temperature, '°C')}`;
    return {
      state: 'warning',
      words: `is held down for heat ${formatValue(Math.round((e.thermal ?? 0) * 100) / 100, 'ratio')} of the time${at}`,
      kind: 'throttled',
    };
  }
  const state = stateOfHealth(e.health);
  if (state === 'critical' || state === 'warning')
    return { state, words: `needs attention: ${e.reason ?? 'unwell'}`, kind: 'faulty' };
  if ((e.power ?? 0) >= TELL_FROM)
    return {
      state: 'ok',
      words: `is well; its power cap holds it down ${formatValue(e.power, 'ratio')} of the time`,
      kind: 'well',
    };
  return { state: 'ok', words: 'is well', kind: 'well' };
}
