import { Counter, Registry } from 'prom-client';
import type { Clock } from '../base/index.ts';
import type { SignalBatch } from '../model/index.ts';
import { countsByCluster, SIGNALS } from './batch-clusters.ts';
import { createDropLog, type DropState } from './drops.ts';
import type { BatchOrigin, Rejection } from './sink.ts';
import { createSourceLog, type SourceState } from './sources.ts';

export type { DropState } from './drops.ts';
export type { SourceState } from './sources.ts';

/** Plain data, since it comes from another thread. */
export interface IngestTelemetry {
  sources: SourceState[];
  dropped: DropState[];
}

/** Keeps the counters and the state of sources. Every count is bounded in labels: at most 200 clusters have their own. */
export interface IngestLog {
  delivered(batch: SignalBatch, origin: BatchOrigin): void;
  /** The spool did not take the batch: its sources show it until they deliver again. */
  refused(batch: SignalBatch, origin: BatchOrigin, message: string): void;
  /** Signals that a step did not let through; their neighbours went on. */
  dropped(rejection: Rejection & { label?: string }, origin: BatchOrigin): void;
  /** A request of which nothing could be taken. */
  unreadable(rejection: Rejection, origin: BatchOrigin): void;
  /** A request that had been stored before and was answered from memory. */
  repeated(origin: BatchOrigin): void;
  state(): IngestTelemetry;
  registry: Registry;
}

const MAX_CLUSTERS = 200;

export function createIngestLog(clock: Clock): IngestLog {
  const registry = new Registry();
  const labelNames = ['signal', 'protocol', 'cluster'] as const;
  const requests = new Counter({
    name: 'trifocal_ingest_requests_total',
    help: 'Requests, scrapes and watch turns that brought signals of this kind.',
    labelNames,
    registers: [registry],
  });
  const items = new Counter({
    name: 'trifocal_ingest_items_total',
    help: 'Samples (native histograms too), exemplars, log records, spans and object versions that were accepted.',
    labelNames,
    registers: [registry],
  });
  const bytes = new Counter({
    name: 'trifocal_ingest_bytes_total',
    help: 'Bytes of accepted requests as they came over the wire.',
    labelNames,
    registers: [registry],
  });
  const drops = new Counter({
    name: 'trifocal_ingest_dropped_total',
    help: 'Signals that were not stored, by reason.',
    labelNames: ['signal', 'protocol', 'reason'] as const,
    registers: [registry],
  });
  const repetitions = new Counter({
    name: 'trifocal_ingest_repeated_total',
    help: 'Requests that had been stored before and were answered without storing them again.',
    labelNames: ['protocol'] as const,
    registers: [registry],
  });
  const sources = createSourceLog(clock);
  const dropLog = createDropLog(clock);
  const clusters = new Set<string>();

  const clusterLabel = (cluster: string) => {
    if (clusters.has(cluster)) return cluster;
    if (clusters.size >= MAX_CLUSTERS) return 'other';
    clusters.add(cluster);
    return cluster;
  };
  const drop = (rejection: Rejection & { label?: string }, origin: BatchOrigin) => {
    drops.inc({ signal: rejection.signal, protocol: origin.protocol, reason: rejection.reason }, rejection.count);
    dropLog.add(rejection, origin);
  };

  return {
    registry,
    delivered(batch, origin) {
      let bytesLeft = origin.bytes ?? 0;
      for (const [cluster, counts] of countsByCluster(batch, origin)) {
        const label = clusterLabel(cluster);
        const ofSource = { items: 0, bytes: bytesLeft, newestMs: counts.newestMs };
        for (const signal of SIGNALS) {
          const count = counts[signal];
          if (count === 0) continue;
          ofSource.items += count;
          const labels = { signal, protocol: origin.protocol, cluster: label };
          requests.inc(labels);
          items.inc(labels, count);
          bytes.inc(labels, bytesLeft);
          bytesLeft = 0;
        }
        sources.delivered(label, origin, ofSource);
        bytesLeft = 0;
      }
    },
    refused(batch, origin, message) {
      for (const [cluster, counts] of countsByCluster(batch, origin)) {
        sources.refused(clusterLabel(cluster), origin, `${message}; it is asked to try again, so nothing is lost yet`);
        for (const signal of SIGNALS) {
          if (counts[signal] === 0) continue;
          drop({ signal, reason: 'refused_backpressure', count: counts[signal], example: message }, origin);
        }
      }
    },
    dropped(rejection, origin) {
      if (origin.protocol !== 'store') sources.dropped(origin, rejection.count);
      drop(rejection, origin);
    },
    unreadable(rejection, origin) {
      const { example, reason, count } = rejection;
      const advice =
        reason === 'refused_backpressure' ? 'it is asked to try again' : 'nothing of the request was stored';
      sources.refused(undefined, origin, `${example}; ${advice}`);
      if (reason !== 'refused_backpressure') sources.dropped(origin, count);
      drop(rejection, origin);
    },
    repeated(origin) {
      repetitions.inc({ protocol: origin.protocol });
      sources.repeated(origin);
    },
    state: () => ({ sources: sources.states(), dropped: dropLog.states() }),
  };
}
