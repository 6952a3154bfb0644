import { batchCounts, type SignalBatch, type SignalKind, UNKNOWN_CLUSTER } from '../model/index.ts';
import type { BatchOrigin } from './sink.ts';

export const SIGNALS: readonly SignalKind[] = ['samples', 'exemplars', 'logs', 'spans', 'objects'];

/** Signals of one cluster in a batch: how many of each kind, and the time of the newest. */
export type ClusterCounts = Record<SignalKind, number> & { newestMs: number };

/** Whose signals a batch brought. One without any still shows that its sender is alive. */
export function countsByCluster(batch: SignalBatch, origin: BatchOrigin): Map<string, ClusterCounts> {
  const byCluster = new Map<string, ClusterCounts>();
  const of = (cluster: string) => {
    let counts = byCluster.get(cluster);
    if (counts === undefined) {
      counts = { samples: 0, exemplars: 0, logs: 0, spans: 0, objects: 0, newestMs: Number.NEGATIVE_INFINITY };
      byCluster.set(cluster, counts);
    }
    return counts;
  };
  for (const part of [batch.samples, batch.lateSamples, batch.histograms]) {
    if (part === undefined || part.timesMs.length === 0) continue;
    let last: ClusterCounts | undefined;
    let lastCluster = '';
    const perSeries = part.series.map(({ cluster }) => {
      if (last === undefined || cluster !== lastCluster) {
        last = of(cluster);
        lastCluster = cluster;
      }
      return last;
    });
    for (let i = 0; i < part.seriesOf.length; i++) {
      const counts = perSeries[part.seriesOf[i] ?? 0];
      const time = part.timesMs[i] ?? 0;
      if (counts === undefined) continue;
      counts.samples++;
      if (time > counts.newestMs) counts.newestMs = time;
    }
  }
  for (const { series } of batch.exemplars ?? []) of(series.cluster).exemplars++;
  for (const record of batch.logs ?? []) {
    const counts = of(record.place.cluster);
    counts.logs++;
    counts.newestMs = Math.max(counts.newestMs, Number(record.timeNs / 1_000_000n));
  }
  for (const span of batch.spans ?? []) {
    const counts = of(span.place.cluster);
    counts.spans++;
    counts.newestMs = Math.max(counts.newestMs, Number(span.endNs / 1_000_000n));
  }
  for (const object of batch.objects ?? []) of(object.cluster).objects++;
  const signals = Object.values(batchCounts(batch)).reduce((sum, count) => sum + count, 0);
  if (signals === 0) of(origin.cluster ?? UNKNOWN_CLUSTER);
  return byCluster;
}
