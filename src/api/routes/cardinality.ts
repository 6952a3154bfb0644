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
      const all = await options.cardinality(asked);
      const { refusals, ...report } = seen === undefined ? all : ofShownClusters(all);
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

/**
 * Without what tells about other clusters: the number of all series, and the metric that fills the limit over all, which
 * a refusal's sentence and label may name.
 */
function ofShownClusters(report: CardinalityReport): CardinalityReport {
  const active = report.clusters.reduce((sum, { series }) => sum + series, 0);
  return {
    ...report,
    active,
    metrics: report.metrics.map((metric) => ({ ...metric, share: active === 0 ? 0 : metric.series / active })),
    refusals: report.refusals.map((refusal) =>
      refusal.reason === 'limit_labels'
        ? refusal
        : { ...refusal, label: '', example: `new series of ${refusal.metric} meet a limit of series` },
    ),
  };
}
