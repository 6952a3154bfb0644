import type { HealthStatus } from '../../../model/index.ts';
import type { Points } from '../../charts/align.ts';
import { type State, stateOfHealth } from '../../components/state.ts';

/** Until objectives are declared, every model service is held against this, and pages say so. Seconds to the first token, 95th percentile. */
export const DEFAULT_TTFT_OBJECTIVE = 2;

export interface ServiceEvidence {
  health: HealthStatus;
  /** First reason of the estate's health, when there is one. */
  reason: string | undefined;
  /** 95th percentile of the time to first token. */
  ttft: Points;
  /** Requests per second and requests waiting, newest; undefined when not collected. */
  requests: number | undefined;
  waiting: number | undefined;
}

export interface Judgement {
  state: State;
  /** `slow`, `idle`, or the estate's reason: what a sentence says of the service. */
  word: string;
  isOutside: boolean;
  /** Milliseconds since when it has been outside its objective. */
  since: number | undefined;
}

/** How a model service fares against its objective. Judged by the middle of the last three values, so one odd minute is no alarm. */
export function judgeService(evidence: ServiceEvidence, objective = DEFAULT_TTFT_OBJECTIVE): Judgement {
  const { health, reason, ttft, requests, waiting } = evidence;
  if (health === 'gone') return { state: 'stale', word: 'gone', isOutside: false, since: undefined };
  if (health === 'failing') return { state: 'critical', word: reason ?? 'failing', isOutside: true, since: undefined };
  const recent = recentMiddle(ttft);
  if (recent !== undefined && recent > objective)
    return { state: 'critical', word: 'slow', isOutside: true, since: outsideSince(ttft, objective) };
  if (recent === undefined && (waiting ?? 0) > 0 && requests === 0)
    return { state: 'critical', word: 'not answering, with requests waiting', isOutside: true, since: undefined };
  if (health === 'degraded')
    return { state: 'warning', word: reason ?? 'degraded', isOutside: false, since: undefined };
  if (recent !== undefined) return { state: 'ok', word: 'within its objective', isOutside: false, since: undefined };
  if (requests === 0) return { state: 'idle', word: 'idle', isOutside: false, since: undefined };
  return {
    state: stateOfHealth(health) === 'idle' ? 'idle' : 'unknown',
    word: 'without latency data',
    isOutside: false,
    since: undefined,
  };
}

/** Begin of the last stretch above the objective, in milliseconds. Dips of up to two values don't end a stretch. */
export function outsideSince(points: Points, objective: number): number | undefined {
  const values = points.filter((point): point is readonly [number, number] => point[1] !== null);
  let since: number | undefined;
  let dips = 0;
  for (let i = values.length - 1; i >= 0; i--) {
    const [at, value] = values[i] ?? [0, 0];
    if (value > objective) {
      since = at;
      dips = 0;
    } else if (since !== undefined && ++dips > 2) break;
  }
  return since === undefined ? undefined : since * 1000;
}

/**
 * Share of requests slower than the objective, read from quantiles by drawing straight lines between them.
 * `quantiles` holds share below and seconds, rising: `[[0.5, 0.9], [0.95, 4.2]]`.
 */
export function shareOver(quantiles: readonly (readonly [number, number])[], objective: number): number | undefined {
  if (quantiles.length === 0) return undefined;
  let [lowShare, lowSeconds] = [0, 0];
  for (const [share, seconds] of quantiles) {
    if (seconds >= objective) {
      const within = seconds === lowSeconds ? 0 : (objective - lowSeconds) / (seconds - lowSeconds);
      return 1 - (lowShare + (share - lowShare) * within);
    }
    [lowShare, lowSeconds] = [share, seconds];
  }
  return 0;
}

function recentMiddle(points: Points): number | undefined {
  const recent = points
    .slice(-6)
    .filter((point): point is readonly [number, number] => point[1] !== null && Number.isFinite(point[1]));
  const last = recent
    .slice(-3)
    .map(([, value]) => value)
    .sort((a, b) => a - b);
  return last[Math.floor(last.length / 2)];
}
