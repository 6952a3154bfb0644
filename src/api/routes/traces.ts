import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/index.ts';
import { formatTime, type Span } from '../../model/index.ts';
import type { TraceReader } from '../../query/index.ts';
import type { EstateReader } from '../../understand/estate/index.ts';
import { type TraceResponse, type TracesResponse, tracesQuery } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { signalOf } from './client-signal.ts';
import { scopeOf, texts } from './logs.ts';
import { entityOfPlace, placesFor } from './places.ts';
import { readRange } from './request-time.ts';

export interface TraceRoutesOptions {
  traces: TraceReader;
  estate: EstateReader;
  clock: Clock;
}

/** `/api/traces`: search, and one trace with all its spans. */
export function traceRoutes({ traces, estate, clock }: TraceRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/traces', async (request, reply): Promise<TracesResponse> => {
      const signal = signalOf(reply);
      const query = tracesQuery.parse(request.query);
      const range = readRange(query, clock.now());
      const { entity, cluster, minDuration, errors } = query;
      const places = await placesFor({ entity, cluster, range }, estate, { scope: request.scope, signal });
      const found = await traces.search(
        {
          range,
          order: query.order,
          limit: query.limit,
          ...(places ? { places } : {}),
          ...(minDuration === undefined ? {} : { minDurationSeconds: minDuration }),
          ...(errors ? { errorsOnly: true } : {}),
        },
        { scope: request.scope, signal },
      );
      return { items: found.map(({ startMs, ...trace }) => ({ ...trace, startedAt: formatTime(startMs) })) };
    });

    app.get<{ Params: { id: string } }>('/api/traces/:id', async (request, reply): Promise<TraceResponse> => {
      const { id } = request.params;
      if (!/^[0-9a-f]{1,32}$/i.test(id))
        throw new ApiError('bad_request', `${id} is no trace id: at most 32 hexadecimal digits`, { path: 'id' });
      const spans = await traces.byId(id, { scope: request.scope, signal: signalOf(reply) });
      const [first] = spans;
      if (!first)
        throw new ApiError('not_found', `no spans of trace ${id} are kept`, {
          path: 'id',
          hint: 'It may be older than the retention of traces, or sampled away.',
        });
      const known = new Set(spans.map((span) => span.spanId));
      const missing = new Set(
        spans.map((span) => span.parentSpanId).filter((parent) => parent !== '' && !known.has(parent)),
      );
      return { traceId: first.traceId, spans: spans.map(toSpan), missing: missing.size };
    });
  };
}

function toSpan(span: Span): TraceResponse['spans'][number] {
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    service: span.place.service,
    name: span.name,
    kind: span.kind,
    status: span.status,
    statusMessage: span.statusMessage,
    startedAt: formatTime(Number(span.startNs / 1_000_000n)),
    startNs: String(span.startNs),
    durationSeconds: Number(span.endNs - span.startNs) / 1e9,
    entity: entityOfPlace(span.place),
    attributes: texts(span.attributes),
    resource: texts(span.resource),
    scope: { ...scopeOf(span.scope), schemaUrl: span.scope.schemaUrl ?? '' },
    traceState: span.traceState,
    flags: span.flags,
    links: span.links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      traceState: link.traceState ?? '',
      flags: link.flags ?? 0,
      attributes: texts(link.attributes),
    })),
    events: span.events.map((event) => ({
      at: formatTime(Number(event.timeNs / 1_000_000n)),
      name: event.name,
      attributes: texts(event.attributes),
    })),
  };
}
