import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/index.ts';
import { type Change, formatTime, parseRef } from '../../model/index.ts';
import type { ChangesQuery, EstateReader } from '../../understand/estate/index.ts';
import { type ChangeItem, type ChangesResponse, changesQuery, type EventsResponse } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { signalOf } from './client-signal.ts';
import { readRange } from './request-time.ts';

export interface ChangeRoutesOptions {
  estate: EstateReader;
  clock: Clock;
}

/** `/api/changes` and `/api/events`: of the estate, a cluster, or one entity with what it contains and stands on. */
export function changeRoutes({ estate, clock }: ChangeRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/changes', async (request, reply): Promise<ChangesResponse> => {
      const changes = await estate.changes(toQuery(request.query, clock.now()), request.scope, signalOf(reply));
      return changes.map(toChange);
    });

    app.get('/api/events', async (request, reply): Promise<EventsResponse> => {
      const events = await estate.events(toQuery(request.query, clock.now()), request.scope, signalOf(reply));
      return {
        items: events.map(({ atMs, container: _, ...event }) => ({ at: formatTime(atMs), ...event })),
      };
    });
  };
}

export function toChange({ atMs, actor, ...change }: Change): ChangeItem {
  return { ...change, at: formatTime(atMs), ...(actor === undefined ? {} : { actor }) };
}

function toQuery(given: unknown, nowMs: number): ChangesQuery {
  const { entity, cluster, limit, ...times } = changesQuery.parse(given);
  if (entity !== undefined && !parseRef(entity)) {
    throw new ApiError('bad_request', `entity: ${JSON.stringify(entity)} is no entity reference`, {
      path: 'entity',
      hint: 'kind:cluster/namespace/name',
    });
  }
  return {
    ...readRange(times, nowMs),
    limit,
    ...(entity === undefined ? {} : { entity }),
    ...(cluster === undefined ? {} : { cluster }),
  };
}
