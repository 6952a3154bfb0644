import { Counter, Registry } from 'prom-client';
import type { Clock } from '../base/index.ts';
import { batchCounts, type SignalBatch, UNKNOWN_CLUSTER } from '../model/index.ts';
import type { BatchOrigin, Rejection } from './sink.ts';

/** What delivers, and how it does. Times in ms since the epoch. */
export interface SourceState {
  cluster: string;
  /** The protocol: `otlp`, `remote-write`, `loki`, `scrape`, `kubernetes`, `import`. */
  kind: string;
  name: string;
  state: 'connected' | 'lagging' | 'silent' | 'refused';
  lastSeenMs: number | null;
  /** How old the newest signal was when it arrived. */
  lagSeconds: number | null;
  /** Pauses between deliveries that were far longer than usual. */
  gaps: number;
  /** Signals per second over the last minute. */
  perSecond: number;
  message?: string;
}

export interface DropState {
  reason: string;
  signal: string;
  count: number;
  sinceMs: number;
  example: string;
}

export interface IngestTelemetry {
  sources: SourceState[];
  dropped: DropState[];
}

/** Keeps the counters and the state of sources. Every count is bounded in labels: at most 200 clusters have their own. */
export interface IngestLog {
  delivered(batch: SignalBatch, origin: BatchOrigin): void;
  /** The spool did not take the batch: its sources show it until they deliver again. */
  refused(batch: SignalBatch, origin: BatchOrigin, message: string): void;
  dropped(rejection: Rejection, origin: BatchOrigin): void;
  state(): IngestTelemetry;
  registry: Registry;
}

const MAX_CLUSTERS = 200;
const RATE_BUCKET_MS = 5000;
const RATE_BUCKETS = 12;
/** A source is lagging when its newest signal is this old, silent when nothing came for this long or 5 usual pauses. */
const LAG_SECONDS = 120;
const SILENCE_MS = 180_000;
const GAP_MS = 60_000;

interface Source {
  cluster: string;
  kind: string;
  firstSeenMs: number;
  lastSeenMs: number;
  lagSeconds: number | null;
  usualPauseMs: number;
  deliveries: number;
  gaps: number;
  /** Items per bucket of five seconds; `bucketOf` says which bucket number each slot holds. */
  items: Float64Array;
  bucketOf: Float64Array;
  refusedSinceDelivery: string | undefined;
}

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
  const sources = new Map<string, Source>();
  const dropped = new Map<string, DropState>();
  const clusters = new Set<string>();

  const clusterLabel = (cluster: string) => {
    if (clusters.has(cluster)) return cluster;
    if (clusters.size >= MAX_CLUSTERS) return 'other';
    clusters.add(cluster);
    return cluster;
  };
  const sourceOf = (cluster: string, kind: string): Source => {
    const key = `${kind} ${cluster}`;
    let source = sources.get(key);
    if (source === undefined) {
      source = {
        cluster,
        kind,
        firstSeenMs: clock.now(),
        lastSeenMs: Number.NaN,
        lagSeconds: null,
        usualPauseMs: 0,
        deliveries: 0,
        gaps: 0,
        items: new Float64Array(RATE_BUCKETS),
        bucketOf: new Float64Array(RATE_BUCKETS),
        refusedSinceDelivery: undefined,
      };
      sources.set(key, source);
    }
    return source;
  };

  return {
    registry,
    delivered(batch, origin) {
      const now = clock.now();
      let bytesLeft = origin.bytes ?? 0;
      for (const [cluster, counts] of countsByCluster(batch, origin)) {
        const label = clusterLabel(cluster);
        let total = 0;
        for (const signal of SIGNALS) {
          const count = counts[signal];
          if (count === 0) continue;
          total += count;
          const labels = { signal, protocol: origin.protocol, cluster: label };
          requests.inc(labels);
          items.inc(labels, count);
          bytes.inc(labels, bytesLeft);
          bytesLeft = 0;
        }
        note(sourceOf(label, origin.protocol), now, total, counts.newestMs);
      }
    },
    refused(batch, origin, message) {
      for (const [cluster, counts] of countsByCluster(batch, origin)) {
        sourceOf(clusterLabel(cluster), origin.protocol).refusedSinceDelivery = message;
        for (const signal of SIGNALS) {
          if (counts[signal] === 0) continue;
          this.dropped({ signal, reason: 'refused_backpressure', count: counts[signal], example: message }, origin);
        }
      }
    },
    dropped(rejection, origin) {
      drops.inc({ signal: rejection.signal, protocol: origin.protocol, reason: rejection.reason }, rejection.count);
      const key = `${rejection.signal} ${rejection.reason}`;
      const known = dropped.get(key);
      dropped.set(key, {
        reason: rejection.reason,
        signal: rejection.signal,
        count: (known?.count ?? 0) + rejection.count,
        sinceMs: known?.sinceMs ?? clock.now(),
        example: rejection.example,
      });
    },
    state: () => ({
      sources: [...sources.values()].map((source) => stateOf(source, clock.now())),
      dropped: [...dropped.values()],
    }),
  };
}

function note(source: Source, now: number, count: number, newestMs: number): void {
  if (!Number.isNaN(source.lastSeenMs)) {
    const pause = now - source.lastSeenMs;
    if (source.deliveries > 5 && pause > Math.max(GAP_MS, 5 * source.usualPauseMs)) source.gaps++;
    else source.usualPauseMs += (pause - source.usualPauseMs) * 0.1;
  }
  source.lastSeenMs = now;
  source.deliveries++;
  source.refusedSinceDelivery = undefined;
  if (Number.isFinite(newestMs)) source.lagSeconds = Math.max(0, (now - newestMs) / 1000);
  const bucket = Math.floor(now / RATE_BUCKET_MS);
  const slot = ((bucket % RATE_BUCKETS) + RATE_BUCKETS) % RATE_BUCKETS;
  if (source.bucketOf[slot] !== bucket) {
    source.bucketOf[slot] = bucket;
    source.items[slot] = 0;
  }
  source.items[slot] = (source.items[slot] ?? 0) + count;
}

function stateOf(source: Source, now: number): SourceState {
  const seen = !Number.isNaN(source.lastSeenMs);
  const bucket = Math.floor(now / RATE_BUCKET_MS);
  let recent = 0;
  for (let slot = 0; slot < RATE_BUCKETS; slot++) {
    if ((source.bucketOf[slot] ?? 0) > bucket - RATE_BUCKETS) recent += source.items[slot] ?? 0;
  }
  const watchedSeconds = Math.min(RATE_BUCKETS * RATE_BUCKET_MS, Math.max(1000, now - source.firstSeenMs)) / 1000;
  const state = {
    cluster: source.cluster,
    kind: source.kind,
    name: '',
    lastSeenMs: seen ? source.lastSeenMs : null,
    lagSeconds: source.lagSeconds,
    gaps: source.gaps,
    perSecond: recent / watchedSeconds,
  };
  if (source.refusedSinceDelivery !== undefined) {
    return { ...state, state: 'refused', message: source.refusedSinceDelivery };
  }
  if (!seen || now - source.lastSeenMs > Math.max(SILENCE_MS, 5 * source.usualPauseMs)) {
    return { ...state, state: 'silent' };
  }
  return { ...state, state: (source.lagSeconds ?? 0) > LAG_SECONDS ? 'lagging' : 'connected' };
}

const SIGNALS = ['samples', 'exemplars', 'logs', 'spans', 'objects'] as const;
type Counts = Record<(typeof SIGNALS)[number], number> & { newestMs: number };

function countsByCluster(batch: SignalBatch, origin: BatchOrigin): Map<string, Counts> {
  const byCluster = new Map<string, Counts>();
  const of = (cluster: string) => {
    let counts = byCluster.get(cluster);
    if (counts === undefined) {
      counts = { samples: 0, exemplars: 0, logs: 0, spans: 0, objects: 0, newestMs: Number.NEGATIVE_INFINITY };
      byCluster.set(cluster, counts);
    }
    return counts;
  };
  for (const part of [batch.samples, batch.histograms]) {
    if (part === undefined || part.timesMs.length === 0) continue;
    let last: Counts | undefined;
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
  // A batch of metadata alone, or an empty one, still shows that its sender is alive.
  const signals = Object.values(batchCounts(batch)).reduce((sum, count) => sum + count, 0);
  if (signals === 0) of(origin.cluster ?? UNKNOWN_CLUSTER);
  return byCluster;
}
