/** Trifocal's HTTP doors: the server with its checks, the routes of its own API and of the compatible ones, error codes. */

export { ApiError } from './errors.ts';
export { backupRoutes } from './routes/backups.ts';
export { cardinalityRoutes } from './routes/cardinality.ts';
export { changeRoutes } from './routes/changes.ts';
export { entityRoutes } from './routes/entities.ts';
export { investigationRoutes } from './routes/investigations.ts';
export { logRoutes } from './routes/logs.ts';
export { openapiRoutes } from './routes/openapi.ts';
export { prometheusRoutes } from './routes/prometheus.ts';
export { redactionRoutes } from './routes/redaction.ts';
export { signalRoutes } from './routes/signals.ts';
export { statusRoutes } from './routes/status.ts';
export { telemetryRoutes } from './routes/telemetry.ts';
export { describeSources } from './routes/telemetry-sources.ts';
export { traceRoutes } from './routes/traces.ts';
export type { TroubleFacts } from './routes/trouble.ts';
export { webRoutes } from './routes/web.ts';
export { createHttpServer } from './server.ts';
