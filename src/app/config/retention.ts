import type { Config } from './load.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = { metrics: 30, logs: 7, traces: 7 } as const;

export type SignalRetention = Record<keyof typeof USUAL_DAYS, number | 'forever'>;

/**
 * How long signals are kept, in whole days. Where the configuration does not say, at least as long as `ingest.accept.past` lets
 * them in: what was acknowledged would be gone at once otherwise.
 */
export function signalRetention({ retention, ingest }: Pick<Config, 'retention' | 'ingest'>): SignalRetention {
  const { past } = ingest.accept;
  const kept = (signal: keyof SignalRetention) => {
    const said = retention[signal];
    if (said !== undefined) return wholeDays(said);
    return past === 'any' ? 'forever' : Math.max(USUAL_DAYS[signal], Math.ceil(past / DAY_MS));
  };
  return { metrics: kept('metrics'), logs: kept('logs'), traces: kept('traces') };
}

/** Retention drops days as a whole, so a part of one counts as a day. */
export function wholeDays(ms: number | 'forever'): number | 'forever' {
  return ms === 'forever' ? ms : Math.max(1, Math.ceil(ms / DAY_MS));
}
