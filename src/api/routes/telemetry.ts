import type { FastifyPluginAsync } from 'fastify';
import type { Clock, Logger } from '../../base/index.ts';
import type { LoopDelay } from '../../base/node/index.ts';
import type { DropState, IngestTelemetry, SourceState, SpoolStats } from '../../ingest/index.ts';
import { formatTime, scopeAllows } from '../../model/index.ts';
import type { TableStats } from '../../store/index.ts';
import type { TelemetryResponse } from '../contract/index.ts';
import { signalOf } from './client-signal.ts';
import { fixOf } from './drop-fixes.ts';
import { describeSources, type SourceReaders } from './telemetry-sources.ts';

export interface TelemetryRoutesOptions extends SourceReaders {
  ingest: { telemetry(): Promise<IngestTelemetry>; activeSeries(): Promise<number> };
  store: { isUp(): boolean; tableStats(signal?: AbortSignal): Promise<TableStats[]> };
  /** Since when the store is as it is, up or down. */
  storeSinceMs(): number;
  /** What waits on disk for the store, and how it is. */
  spool(): SpoolStats;
  /** How late the event loops of the threads are. */
  loops: Readonly<Record<TelemetryResponse['loops'][number]['thread'], () => Promise<LoopDelay>>>;
  clock: Clock;
  logger: Logger;
}

/** `/api/telemetry`: who delivers and how well, what was dropped, how much is kept. */
export function telemetryRoutes(options: TelemetryRoutesOptions): FastifyPluginAsync {
  const { ingest, store, clock, logger } = options;
  return async (app) => {
    app.get('/api/telemetry', async (request, reply): Promise<TelemetryResponse> => {
      const { sources, dropped } = await ingest.telemetry();
      const { bytes, maxBytes, oldestSeconds, refused, state, message } = options.spool();
      return {
        sources: describeSources(sources, options, clock.now())
          .filter(({ cluster }) => scopeAllows(request.scope, cluster, undefined))
          .map(shownSource),
        dropped: dropped.map((drop) => shownDrop(drop, request.scope.kind === 'everything')),
        tables: await tableSizes(store, logger, signalOf(reply)),
        series: await ingest.activeSeries(),
        spool: {
          bytes,
          maxBytes,
          oldestSeconds,
          refusedFiles: refused,
          state,
          ...(message === undefined ? {} : { message }),
        },
        store: { up: store.isUp(), since: formatTime(options.storeSinceMs()) },
        loops: await Promise.all(
          (['main', 'ingest'] as const).map(async (thread) => ({ thread, ...(await options.loops[thread]()) })),
        ),
      };
    });
  };
}

function shownSource({ lastSeenMs, sinceMs: _, ...source }: SourceState): TelemetryResponse['sources'][number] {
  return { ...source, lastSeen: lastSeenMs === null ? null : formatTime(lastSeenMs) };
}

/** Example, sender and label may be of any cluster, so they are for who may see all. */
function shownDrop(drop: DropState, seesAll: boolean): TelemetryResponse['dropped'][number] {
  const { sinceMs, lastMs, episodeMs: _, example, sender, label, ...counts } = drop;
  return {
    ...counts,
    since: formatTime(sinceMs),
    last: formatTime(lastMs),
    fix: fixOf(seesAll ? drop : counts),
    ...(seesAll
      ? { example, ...(sender === undefined ? {} : { sender }), ...(label === undefined ? {} : { label }) }
      : {}),
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
