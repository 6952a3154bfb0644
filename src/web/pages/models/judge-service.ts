import { DEFAULT_TTFT_OBJECTIVE, type HealthStatus } from '../../../model/index.ts';
import type { Points } from '../../charts/align.ts';
import { type State, stateOfHealth } from '../../components/state.ts';
import { formatValue } from '../../format/index.ts';

export interface ServiceEvidence {
  health: HealthStatus;
  /** First reason of the estate's health, when there is one. */
  reason: string | undefined;
  /** 95th percentile of the time to first token. */
  ttft: Points;
  /** 95th percentile of the time between output tokens. */
  itl: Points;
  /** The same two over a longer time before, for what is usual; empty when not known. */
  before: { ttft: Points; itl: Points };
  /** Requests per second and requests waiting, newest; undefined when not collected. */
  requests: number | undefined;
  waiting: number | undefined;
}

export interface Judgement {
  state: State;
  /** `slow`, `idle`, or the estate's reason: what a sentence says of the service. */
  word: string;
  isOutside: boolean;
  /** Milliseconds since when it has been so. */
  since: number | undefined;
  /** The number behind the word: `inter-token latency is 2.2× the usual`. */
  detail?: string;
}

/** How a model service fares against its objective. Judged by the middle of the last three values, so one odd minute is no alarm. */
export function judgeService(evidence: ServiceEvidence, objective = DEFAULT_TTFT_OBJECTIVE): Judgement {
  const { health, reason, ttft, itl, before, requests, waiting } = evidence;
  if (health === 'gone') return { state: 'stale', word: 'gone', isOutside: false, since: undefined };
  if (health === 'failing') return { state: 'critical', word: reason ?? 'failing', isOutside: true, since: undefined };
  const recent = recentMiddle(ttft);
  if (recent !== undefined && recent > objective)
    return { state: 'critical', word: 'slow', isOutside: true, since: outsideSince(ttft, objective) };
  if (recent === undefined && (waiting ?? 0) > 0 && requests === 0)
    return { state: 'critical', word: 'not answering, with requests waiting', isOutside: true, since: undefined };
  const moved = slowerThanUsual({
    'time to first token': { points: ttft, before: before.ttft },
    'inter-token latency': { points: itl, before: before.itl },
  });
  if (moved) return { state: 'warning', word: 'slower than usual', isOutside: false, ...moved };
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

/** From this factor on, more is told than the objective: users feel it. */
const SLOWER_FROM = 1.4;
/** How far above its own spread a rise must be, so that noise is no news. */
const SPREADS = 5;
const LEAST_VALUES = 40;
/** Values that make up the present: five minutes at the usual step. */
const PRESENT = 20;
const LEAST_BEFORE = 20;

interface Compared {
  points: Points;
  before: Points;
}

/**
 * The named series that rose most: the middle of its newest values against what is usual, by factor and against the
 * usual spread. Without a past of its own, the first half of the range is the past; a short range then says nothing.
 */
export function slowerThanUsual(
  series: Readonly<Record<string, Compared>>,
): { since: number | undefined; detail: string } | undefined {
  let most: { since: number | undefined; detail: string; factor: number } | undefined;
  for (const [name, { points, before }] of Object.entries(series)) {
    const smooth = smoothed(points);
    const past = usualValues(before, smooth);
    if (past.length === 0 || smooth.length < PRESENT) continue;
    const [usual, now] = [middleOf(past), middleOf(smooth.slice(-PRESENT).map(([, v]) => v))];
    const spread = middleOf(past.map((v) => Math.abs(v - usual)));
    const factor = now / usual;
    if (usual <= 0 || factor < SLOWER_FROM || now - usual < SPREADS * spread || factor <= (most?.factor ?? 0)) continue;
    const since = outsideSince(smooth, usual + (now - usual) * 0.4, PRESENT);
    most = { factor, since, detail: `${name} is ${formatValue(factor, 'times')} the usual` };
  }
  return most && { since: most.since, detail: most.detail };
}

function usualValues(before: Points, shown: readonly (readonly [number, number])[]): number[] {
  const past = smoothed(before).map(([, v]) => v);
  if (past.length >= LEAST_BEFORE) return past;
  return shown.length < LEAST_VALUES ? [] : shown.slice(0, Math.floor(shown.length / 2)).map(([, v]) => v);
}

/** What is usual of a series: the middle of the time before, or of the first half of the shown time. */
export function usualOf(before: Points, shown: Points): number | undefined {
  const past = usualValues(before, smoothed(shown));
  return past.length === 0 ? undefined : middleOf(past);
}

/** Each value replaced by the middle of the nine around it: one odd minute neither starts nor ends anything. */
function smoothed(points: Points): [number, number][] {
  const known = points.filter((p): p is readonly [number, number] => p[1] !== null && Number.isFinite(p[1]));
  return known.map(([t], i) => [t, middleOf(known.slice(Math.max(0, i - 4), i + 5).map(([, v]) => v))]);
}

/** Begin of the last stretch above the objective, in milliseconds. Dips of up to `most` values don't end a stretch. */
export function outsideSince(points: Points, objective: number, most = 2): number | undefined {
  const values = points.filter((point): point is readonly [number, number] => point[1] !== null);
  let since: number | undefined;
  let dips = 0;
  for (let i = values.length - 1; i >= 0; i--) {
    const [at, value] = values[i] ?? [0, 0];
    if (value > objective) {
      since = at;
      dips = 0;
    } else if (since !== undefined && ++dips > most) break;
  }
  return since === undefined ? undefined : since * 1000;
}

/**
 * Share of requests slower than the objective, read from quantiles. Between two of them the share of slower requests is
 * taken to fall by a constant factor per second, as tails of latencies roughly do; an estimate, and shown as one.
 * `quantiles` holds share below and seconds, rising: `[[0.5, 0.9], [0.95, 4.2]]`.
 */
export function shareOver(quantiles: readonly (readonly [number, number])[], objective: number): number | undefined {
  if (quantiles.length === 0) return undefined;
  let [slowerThanLow, lowSeconds] = [1, 0];
  for (const [share, seconds] of quantiles) {
    const slower = 1 - share;
    if (seconds >= objective) {
      const within = seconds === lowSeconds ? 0 : (objective - lowSeconds) / (seconds - lowSeconds);
      return slowerThanLow * (slower / slowerThanLow) ** within;
    }
    [slowerThanLow, lowSeconds] = [slower, seconds];
  }
  return 0;
}

function recentMiddle(points: Points): number | undefined {
  const recent = points
    .slice(-6)
    .filter((point): point is readonly [number, number] => point[1] !== null && Number.isFinite(point[1]));
  return recent.length === 0 ? undefined : middleOf(recent.slice(-3).map(([, value]) => value));
}

function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
