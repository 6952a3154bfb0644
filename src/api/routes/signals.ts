import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/index.ts';
import {
  type Entity,
  type EstateSnapshot,
  findSignal,
  formatTime,
  type Scope,
  SIGNALS,
  systemsFor,
  type TimeRange,
} from '../../model/index.ts';
import type { EvidenceSource } from '../../understand/diagnosis/index.ts';
import { type CoverageResponse, type SignalResponse, type SignalsResponse, signalQuery } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { signalOf } from './client-signal.ts';
import { readRange, readTime } from './request-time.ts';

export interface SignalRoutesOptions {
  estateAt(ms: number, scope: Scope, signal: AbortSignal): Promise<EstateSnapshot>;
  /** Evidence for one request, over that estate. */
  evidence(estate: EstateSnapshot, scope: Scope, signal: AbortSignal): EvidenceSource;
  clock: Clock;
}

const MOST_POINTS = 2_000;
/** Points of a chart when no step is asked for. */
const USUAL_POINTS = 240;
const LEAST_STEP_MS = 15_000;
/** Two samples of a 60 s scrape. */
const LEAST_RATE_SECONDS = 120;
const COVERAGE_MS = 15 * 60_000;

/** `/api/signals`: the catalogue, one signal of one entity, and which signals an entity has. */
export function signalRoutes(options: SignalRoutesOptions): FastifyPluginAsync {
  const { clock } = options;
  return async (app) => {
    app.get(
      '/api/signals',
      async (): Promise<SignalsResponse> =>
        SIGNALS.map(({ name, unit, meaning, direction, aggregate, layer }) => ({
          name,
          unit,
          meaning,
          direction,
          aggregate,
          layer,
          sources: systemsFor(name),
        })),
    );

    app.get<{ Params: { name: string } }>('/api/signals/:name', async (request, reply): Promise<SignalResponse> => {
      const client = signalOf(reply);
      const query = signalQuery.parse(request.query);
      const signal = findSignal(request.params.name);
      if (!signal)
        throw new ApiError('not_found', `there is no signal ${request.params.name}`, {
          path: 'name',
          hint: 'GET /api/signals lists them.',
        });
      const range = readRange(query, clock.now());
      const step = stepOf(range, query.step);
      const estate = await options.estateAt(range.to, request.scope, client);
      const entity = known(estate, query.entity);
      const from = Math.ceil(range.from / step) * step;
      const to = Math.floor(range.to / step) * step;
      const answer = await options.evidence(estate, request.scope, client).fetch({
        signal: signal.name,
        of: [entity.ref],
        ...(query.by ? { by: query.by } : {}),
        ...(query.stat ? { stat: query.stat } : {}),
        from,
        to: Math.max(from, to),
        step,
        rateSeconds: Math.max(LEAST_RATE_SECONDS, (2 * step) / 1000),
      });
      return {
        unit: answer.unit,
        step: step / 1000,
        series: answer.series.map((series) => ({
          entity: series.entity,
          labels: { ...series.labels },
          points: Array.from(series.values, (value, i): [number, number | null] => [
            (from + i * step) / 1000,
            Number.isFinite(value) ? value : null,
          ]),
        })),
        sources: answer.queries.map(({ system, language, text }) => ({ system, language, query: text })),
        missing: answer.missing,
      };
    });

    app.get<{ Params: { ref: string }; Querystring: { at?: string } }>(
      '/api/entities/:ref/coverage',
      async (request, reply): Promise<CoverageResponse> => {
        const client = signalOf(reply);
        const at = request.query.at === undefined ? clock.now() : readTime(request.query.at, 'at', clock.now());
        const estate = await options.estateAt(at, request.scope, client);
        const entity = known(estate, request.params.ref);
        const evidence = options.evidence(estate, request.scope, client);
        const step = 60_000;
        const to = Math.floor(at / step) * step;
        const signals = SIGNALS.filter(
          (signal) => homesOf(entity).includes(signal.home) && systemsFor(signal.name).length > 0,
        );
        const items = await Promise.all(
          signals.map(async (signal) => {
            const answer = await evidence.fetch({
              signal: signal.name,
              of: [entity.ref],
              from: to - COVERAGE_MS,
              to,
              step,
              rateSeconds: LEAST_RATE_SECONDS * 2,
            });
            const present = answer.series.some((series) => series.values.some(Number.isFinite));
            const [query] = answer.queries;
            const [lack] = answer.missing;
            return {
              signal: signal.name,
              present,
              ...(present && query ? { source: query.system } : {}),
              ...(!present && lack ? { fix: lack.fix } : {}),
            };
          }),
        );
        return { items };
      },
    );
  };
}

/** Which signals concern an entity of this kind: its own, and those of what it is made of or stands on. */
function homesOf(entity: Entity): readonly string[] {
  switch (entity.kind) {
    case 'workload':
      return entity.facts.engine === undefined ? ['workload', 'service'] : ['workload', 'pod', 'gpu', 'service'];
    case 'pod':
      return ['pod', 'gpu'];
    case 'node':
      return ['node', 'gpu'];
    default:
      return [entity.kind];
  }
}

function known(estate: EstateSnapshot, ref: string): Entity {
  const entity = estate.get(ref);
  if (!entity)
    throw new ApiError('not_found', `${ref} was not known at ${formatTime(estate.atMs)}`, { path: 'entity' });
  return entity;
}

function stepOf({ from, to }: TimeRange, asked: number | undefined): number {
  const step =
    asked === undefined
      ? Math.max(LEAST_STEP_MS, Math.ceil((to - from) / USUAL_POINTS / 15_000) * 15_000)
      : Math.round(asked * 1000);
  if ((to - from) / step > MOST_POINTS)
    throw new ApiError('bad_request', `more than ${MOST_POINTS} points`, {
      path: 'step',
      hint: 'A longer step or a shorter range.',
    });
  return Math.max(1, step);
}
