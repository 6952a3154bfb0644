import { formatTime } from '../../model/index.ts';

/** How far from now a signal's time may lie. `any` past takes imports and replays, epoch 0 and before included. */
export interface AcceptedTimes {
  pastMs: number | 'any';
  futureMs: number;
  /** How long signals are kept: what is older than that would be gone at once, so it is not taken in. */
  keptDays?: Readonly<Record<KeptSignal, number | 'forever'>>;
}

/** What has a retention of its own. */
export type KeptSignal = 'metrics' | 'logs' | 'traces' | 'objects';

export const defaultAcceptedTimes: AcceptedTimes = { pastMs: 7 * 86_400_000, futureMs: 10 * 60_000 };

/** 1900-01-01, where the store's times begin. */
const EARLIEST_MS = -2_208_988_800_000;

export interface TimeWindow {
  oldestMs: number;
  newestMs: number;
  /** The key of the configuration that sets the oldest time. */
  bound: string;
}

export function timeWindow(accepted: AcceptedTimes, nowMs: number, signal: KeptSignal): TimeWindow {
  const newestMs = nowMs + accepted.futureMs;
  const oldestMs = accepted.pastMs === 'any' ? EARLIEST_MS : nowMs - accepted.pastMs;
  const days = accepted.keptDays?.[signal] ?? 'forever';
  const keptMs = days === 'forever' ? EARLIEST_MS : nowMs - days * 86_400_000;
  return keptMs > oldestMs
    ? { oldestMs: keptMs, newestMs, bound: `retention.${signal}` }
    : { oldestMs, newestMs, bound: 'ingest.accept.past' };
}

export function judgeTime(ms: number, window: TimeWindow): 'too_old' | 'too_new' | undefined {
  if (ms < window.oldestMs) return 'too_old';
  return ms > window.newestMs ? 'too_new' : undefined;
}

/** The sentence's end for a refused signal, in the words senders of Loki know. */
export function explainTime(reason: 'too_old' | 'too_new', ms: number, window: TimeWindow): string {
  return reason === 'too_old'
    ? `has timestamp too old: ${timeText(ms)}, oldest acceptable timestamp is: ${timeText(window.oldestMs)} (${window.bound})`
    : `has timestamp too new: ${timeText(ms)}, newest acceptable timestamp is: ${timeText(window.newestMs)}`;
}

/** Times from outside may be beyond what a Date can hold. */
function timeText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? formatTime(ms) : `${ms} ms`;
}
