import type { FastifyPluginAsync } from 'fastify';
import type { Clock, Logger } from '../../base/index.ts';
import type { IngestTelemetry, KubernetesWatch, TargetState } from '../../ingest/index.ts';
import { formatTime, type Scope, scopeAllows } from '../../model/index.ts';
import type { TableStats } from '../../store/index.ts';
import type { TelemetryResponse } from '../contract/index.ts';
import { signalOf } from './client-signal.ts';

export interface TelemetryRoutesOptions {
  ingest: { telemetry(): Promise<IngestTelemetry>; activeSeries(): Promise<number> };
  store: { isUp(): boolean; tableStats(signal?: AbortSignal): Promise<TableStats[]> };
  /** Bytes that wait on disk for the store, and how long the oldest of them have. */
  spool(): { bytes: number; oldestSeconds: number };
  watches(): readonly Pick<KubernetesWatch, 'cluster' | 'state'>[];
  targets(): readonly TargetState[];
  clock: Clock;
  logger: Logger;
}

type Source = TelemetryResponse['sources'][number];

/** `/api/telemetry`: who delivers and how well, what was dropped, how much is kept. */
export function telemetryRoutes(options: TelemetryRoutesOptions): FastifyPluginAsync {
  const { ingest, store, clock, logger } = options;
  return async (app) => {
    app.get('/api/telemetry', async (request, reply): Promise<TelemetryResponse> => {
      const { sources, dropped } = await ingest.telemetry();
      const now = clock.now();
      const watched = new Set(options.watches().map((watch) => watch.cluster));
      const detailed = [
        // A quiet cluster brings nothing for hours and is well: the watches themselves know better.
        ...sources
          .filter((source) => source.kind !== 'kubernetes' || !watched.has(source.cluster))
          .map(({ lastSeenMs, ...source }) => ({ ...source, lastSeen: timeOrNull(lastSeenMs) })),
        ...options.watches().flatMap(watchSources),
        ...options.targets().map((target) => targetSource(target, now)),
      ];
      return {
        sources: detailed.filter((source) => isVisible(source, request.scope)),
        dropped: dropped.map(({ sinceMs, example, ...drop }) => ({
          ...drop,
          since: formatTime(sinceMs),
          // An example may quote a signal of any cluster.
          ...(request.scope.kind === 'everything' ? { example } : {}),
        })),
        tables: await tableSizes(store, logger, signalOf(reply)),
        series: await ingest.activeSeries(),
        spool: options.spool(),
        storeUp: store.isUp(),
      };
    });
  };
}

/** Sizes are of the whole server, whoever asks. A store that is down has none; that it is down is told beside. */
async function tableSizes(
  store: TelemetryRoutesOptions['store'],
  logger: Logger,
  signal: AbortSignal,
): Promise<TableStats[]> {
  if (!store.isUp()) return [];
  try {
    return await store.tableStats(signal);
  } catch (error) {
    if (store.isUp() && !signal.aborted) logger.warn({ error: String(error) }, 'the sizes of tables cannot be told');
    return [];
  }
}

function watchSources(watch: Pick<KubernetesWatch, 'cluster' | 'state'>): Source[] {
  return watch.state().map(({ resource, state, lastSeenMs, message }) => ({
    cluster: watch.cluster,
    kind: 'kubernetes',
    name: resource,
    state,
    lastSeen: timeOrNull(lastSeenMs),
    lagSeconds: null,
    gaps: 0,
    perSecond: 0,
    ...(message === undefined ? {} : { message }),
  }));
}

function targetSource(target: TargetState, nowMs: number): Source {
  const { cluster, job, url, health, lastScrapeMs, intervalMs, lastError, samples } = target;
  const late = lastScrapeMs !== null && nowMs - lastScrapeMs > 3 * intervalMs;
  return {
    cluster,
    kind: 'scrape',
    name: `${job} ${url}`,
    // A target that was added just now has its first scrape within an interval; that is no trouble.
    state: health === 'down' ? 'refused' : late ? 'lagging' : 'connected',
    lastSeen: timeOrNull(lastScrapeMs),
    lagSeconds: null,
    gaps: 0,
    perSecond: intervalMs > 0 ? samples / (intervalMs / 1000) : 0,
    ...(lastScrapeMs === null
      ? { message: 'the first scrape is due' }
      : lastError === ''
        ? {}
        : { message: lastError }),
  };
}

function isVisible(source: Source, scope: Scope): boolean {
  return scopeAllows(scope, source.cluster, undefined);
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTime(ms);
}
