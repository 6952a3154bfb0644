import type { Health, HealthStatus } from '../../model/index.ts';

const RANK: Record<HealthStatus, number> = { ok: 0, idle: 0, gone: 0, unknown: 1, degraded: 2, failing: 3 };

/** What one look at a thing found: how bad, in which words. */
export interface Remark {
  status: HealthStatus;
  reason: string;
}

/** The worst remark decides; the reasons follow in order of badness. Without remarks all is well. */
export function healthOf(remarks: readonly Remark[], otherwise: HealthStatus = 'ok'): Health {
  const sorted = [...remarks].sort((a, b) => RANK[b.status] - RANK[a.status]);
  const worst = sorted[0]?.status;
  return {
    status: worst === undefined || RANK[worst] === 0 ? (worst ?? otherwise) : worst,
    reasons: [...new Set(sorted.map((remark) => remark.reason).filter((reason) => reason !== ''))],
  };
}

export function isUnwell(health: Health): boolean {
  return RANK[health.status] > 0;
}
