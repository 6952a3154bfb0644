import type { HealthStatus } from '../../model/index.ts';

/** The states that a mark can show, worst first where they rank. */
export type State = 'critical' | 'warning' | 'unknown' | 'stale' | 'ok' | 'idle' | 'silenced';

/** Each state as the word that stands beside or behind its shape. */
export const STATE_WORD: Readonly<Record<State, string>> = {
  critical: 'failing',
  warning: 'degraded',
  unknown: 'unknown',
  stale: 'gone',
  ok: 'ok',
  idle: 'idle',
  silenced: 'silenced',
};

const OF_HEALTH: Readonly<Record<HealthStatus, State>> = {
  ok: 'ok',
  degraded: 'warning',
  failing: 'critical',
  unknown: 'unknown',
  idle: 'idle',
  gone: 'stale',
};

export function stateOfHealth(status: HealthStatus): State {
  return OF_HEALTH[status];
}

const RANK: readonly State[] = ['critical', 'warning', 'unknown', 'stale', 'ok', 'idle', 'silenced'];

/** For sorting lists with the trouble on top: 0 is worst. */
export function rankOfState(state: State): number {
  return RANK.indexOf(state);
}

export function worstState(states: readonly State[]): State {
  return [...states].sort((a, b) => rankOfState(a) - rankOfState(b))[0] ?? 'ok';
}

/** Whether a state asks for attention. */
export function isTrouble(state: State): boolean {
  return state === 'critical' || state === 'warning';
}
