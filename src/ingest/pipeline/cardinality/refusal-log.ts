/** What limits refused, by metric and reason: for the people who have to find the sender. Holds the latest 500. */
export interface RefusalRecord {
  metric: string;
  cluster: string;
  reason: 'limit_series' | 'limit_labels';
  label: string;
  /** Samples. */
  count: number;
  sinceMs: number;
  lastMs: number;
  example: string;
}

export interface RefusalLog {
  add(
    what: Pick<RefusalRecord, 'metric' | 'cluster' | 'reason' | 'label'>,
    samples: number,
    example: () => string,
    nowMs: number,
  ): void;
  /** The latest first. */
  list(): RefusalRecord[];
}

const MAX_RECORDS = 500;
/** Writing an example costs more than counting, so it is renewed only as often as somebody may look. */
const RENEW_MS = 10_000;

export function createRefusalLog(): RefusalLog {
  /** In the order of their last refusal, roughly: what is renewed moves to the end. */
  const records = new Map<string, RefusalRecord>();
  return {
    add({ metric, cluster, reason, label }, samples, example, nowMs) {
      const key = `${reason} ${cluster} ${metric}`;
      const known = records.get(key);
      if (known !== undefined && nowMs < known.lastMs + RENEW_MS) {
        known.count += samples;
        return;
      }
      records.delete(key);
      records.set(key, {
        metric,
        cluster,
        reason,
        label,
        count: (known?.count ?? 0) + samples,
        sinceMs: known?.sinceMs ?? nowMs,
        lastMs: nowMs,
        example: example(),
      });
      if (records.size > MAX_RECORDS) for (const oldest of records.keys()) return void records.delete(oldest);
    },
    list: () => [...records.values()].reverse(),
  };
}
