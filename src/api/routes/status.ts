import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/index.ts';
import { formatTime, type Scope } from '../../model/index.ts';
import type { StatusResponse } from '../contract/index.ts';
import { type TroubleFacts, troubleOf } from './trouble.ts';

export interface StatusDependencies {
  version: string;
  clock: Clock;
  demo(): StatusResponse['demo'];
  clusters(): string[];
  storeUp(): boolean;
  /** What makes answers stale or incomplete now. */
  trouble(): Promise<TroubleFacts>;
  /** What the server still waits for before it is ready; empty when it is. */
  waiting(): string[];
  /** All own metrics in Prometheus' text format. */
  metrics(): Promise<{ contentType: string; text: string }>;
}

/** `/healthz`, `/readyz`, `/metrics`, `/api/status`: what this server is and how it does. */
export function statusRoutes(dependencies: StatusDependencies): FastifyPluginAsync {
  const { clock } = dependencies;
  const startedAt = formatTime(clock.now());
  return async (app) => {
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.get('/readyz', async (_request, reply) => {
      const waiting = dependencies.waiting();
      return reply.status(waiting.length > 0 ? 503 : 200).send({ waiting });
    });
    app.get('/metrics', async (_request, reply) => {
      const { contentType, text } = await dependencies.metrics();
      return reply.header('content-type', contentType).send(text);
    });
    app.get(
      '/api/status',
      async (request): Promise<StatusResponse> => ({
        version: dependencies.version,
        startedAt,
        now: formatTime(clock.now()),
        demo: dependencies.demo(),
        clusters: dependencies.clusters().filter((cluster) => isNamed(request.scope, cluster)),
        storeUp: dependencies.storeUp(),
        trouble: troubleOf(await dependencies.trouble(), request.scope),
      }),
    );
  };
}

/** Who may see one namespace of a cluster may know that the cluster is there. */
function isNamed(scope: Scope, cluster: string): boolean {
  return scope.kind === 'everything' || scope.clusters.some(({ name }) => name === cluster);
}
