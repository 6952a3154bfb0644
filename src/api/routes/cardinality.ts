import type { FastifyPluginAsync } from 'fastify';
import type { CardinalityReport } from '../../ingest/index.ts';
import { formatTime, scopeAllows } from '../../model/index.ts';
import { type CardinalityResponse, cardinalityQuery } from '../contract/index.ts';

export interface CardinalityRoutesOptions {
  cardinality(clusters?: readonly string[]): Promise<CardinalityReport>;
}

/** `/api/cardinality`: how many series there are, of what, and what limits refused. Clusters beyond the scope are left out. */
export function cardinalityRoutes(options: CardinalityRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/cardinality', async (request): Promise<CardinalityResponse> => {
      const { cluster } = cardinalityQuery.parse(request.query);
      const { scope } = request;
      const seen =
        scope.kind === 'everything'
          ? undefined
          : scope.clusters.map(({ name }) => name).filter((name) => scopeAllows(scope, name, undefined));
      const asked = cluster === undefined ? seen : (seen ?? [cluster]).filter((name) => name === cluster);
      const { refusals, ...report } = await options.cardinality(asked);
      return {
        ...report,
        refusals: refusals.map(({ sinceMs, lastMs, ...refusal }) => ({
          ...refusal,
          since: formatTime(sinceMs),
          last: formatTime(lastMs),
        })),
      };
    });
  };
}
