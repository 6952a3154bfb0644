import type { FastifyInstance } from 'fastify';
import {
  cardinalityRoutes,
  changeRoutes,
  entityRoutes,
  investigationRoutes,
  logRoutes,
  openapiRoutes,
  prometheusRoutes,
  redactionRoutes,
  signalRoutes,
  statusRoutes,
  telemetryRoutes,
  traceRoutes,
  webRoutes,
} from '../api/index.ts';
import { type Clock, type Logger, type Tracer, traced } from '../base/index.ts';
import { watchLoop } from '../base/node/index.ts';
import { formatTime, type Scope, scopeAllows } from '../model/index.ts';
import type { Config } from './config/index.ts';
import { createEvidenceSource } from './evidence.ts';
import { createInvestigator } from './investigator.ts';
import { createOwnMetrics } from './metrics.ts';
import type { Parts } from './parts.ts';
import { createTroubleSource } from './trouble.ts';

export interface RouteOptions {
  config: Config;
  parts: Parts;
  version: string;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  webFolder: string;
}

/** Registers every route of the HTTP door, each with just what it needs. */
export async function registerRoutes(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { config, parts, version, clock, logger, tracer, webFolder } = options;
  const { engine, traces, estate, records } = parts;
  const loops = { main: watchLoop(), ingest: parts.ingest.loopDelay };
  const trouble = createTroubleSource(parts, clock);
  const investigate = createInvestigator({ engine, traces, estate, clock });
  const run: typeof investigate = (...asked) =>
    traced(tracer, 'investigation', {}, async (span) => {
      const result = await investigate(...asked);
      span.set({ 'trifocal.verdict': result.verdict, 'trifocal.queries': result.cost.queries });
      return result;
    });
  await app.register(
    statusRoutes({
      version,
      clock,
      demo: () => (config.demo.enabled ? (parts.demo?.state() ?? 'starting') : 'off'),
      clusters: () => parts.clusterNames,
      storeUp: parts.store.isUp,
      trouble: trouble.facts,
      waiting: () => [...parts.waiting],
      metrics: createOwnMetrics(parts, loops, logger),
    }),
  );
  await app.register(openapiRoutes({ version }));
  await app.register(
    signalRoutes({
      estateAt: estate.at,
      evidence: (snapshot, scope, signal) =>
        createEvidenceSource({ engine, traces, estate: snapshot, scope, clock, signal }),
      clock,
    }),
  );
  for (const routes of [entityRoutes, changeRoutes]) await app.register(routes({ estate, clock }));
  await app.register(logRoutes({ logs: parts.logs, estate, clock }));
  await app.register(traceRoutes({ traces, estate, clock }));
  await app.register(
    telemetryRoutes({
      ingest: parts.ingest,
      store: parts.store,
      storeSinceMs: trouble.storeSinceMs,
      spool: parts.spool.stats,
      loops,
      watches: () => parts.connections?.watches() ?? [],
      targets: () => parts.connections?.targets() ?? [],
      clock,
      logger,
    }),
  );
  await app.register(cardinalityRoutes({ cardinality: parts.ingest.cardinality }));
  await app.register(redactionRoutes({ rules: parts.ingest.redaction, explain: parts.ingest.explainRedaction }));
  const { time, memory } = config.limits.query;
  await app.register(
    prometheusRoutes({
      engine,
      source: parts.source,
      clock,
      logger,
      targets: (scope) => activeTargets(parts, scope),
      limits: { seconds: time / 1000, memoryBytes: memory },
    }),
  );
  await app.register(investigationRoutes({ run, records: records.investigations, clock }));
  await app.register(webRoutes({ folder: webFolder }));
}

/** What is scraped now, as Prometheus' `/api/v1/targets` gives it. */
function activeTargets(parts: Parts, scope: Scope): object[] {
  const targets = parts.connections?.targets() ?? [];
  return targets
    .filter(({ cluster }) => scopeAllows(scope, cluster, undefined))
    .map((target) => ({
      discoveredLabels: {},
      labels: target.labels,
      scrapePool: target.job,
      scrapeUrl: target.url,
      globalUrl: target.url,
      lastError: target.lastError,
      lastScrape: target.lastScrapeMs === null ? '0001-01-01T00:00:00Z' : formatTime(target.lastScrapeMs),
      lastScrapeDuration: target.lastDurationSeconds,
      health: target.health,
      scrapeInterval: `${target.intervalMs / 1000}s`,
      scrapeTimeout: `${target.timeoutMs / 1000}s`,
    }));
}
