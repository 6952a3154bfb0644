import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, deadline, type Logger } from '../../base/index.ts';
import { labelRecord, type Scope } from '../../model/index.ts';
import { type MetricSource, type PromqlEngine, PromqlError, type ReadOptions, selectorsOf } from '../../query/index.ts';
import { describe, pathOf } from '../failure.ts';
import { signalOf } from './client-signal.ts';
import { errorAnswer, PrometheusError } from './prometheus-error.ts';
import { exemplarsBySeries } from './prometheus-exemplars.ts';
import { decodeLabelName } from './prometheus-label-name.ts';
import {
  limitOf,
  matchersOf,
  type Parameters,
  readParameters,
  requiredTime,
  stepOf,
  timeOf,
  timeoutOf,
} from './prometheus-parameters.ts';
import { encodeResult, truncateResult } from './prometheus-result.ts';

export interface PrometheusRoutesOptions {
  engine: PromqlEngine;
  source: MetricSource;
  clock: Clock;
  logger: Logger;
  /** What is scraped now as far as the scope may see it, in the form of Prometheus' `activeTargets`. */
  targets?: (scope: Scope) => readonly object[];
  /** For listing labels, series and metadata. */
  limits?: Partial<ReadOptions['limits']>;
}

/** The Prometheus release whose behaviour is followed; Grafana chooses its features by it. */
const FOLLOWED_VERSION = '3.14.0';
const LIST_LIMITS: ReadOptions['limits'] = { seconds: 30, memoryBytes: 512 * 1024 ** 2, series: 200_000, samples: 0 };
const MAX_EXEMPLARS = 100_000;
const TRUNCATED = 'results truncated due to limit';

/** Prometheus' HTTP API for reading, below `/prometheus/api/v1`, in Prometheus' own forms, errors included. */
export function prometheusRoutes(options: PrometheusRoutesOptions): FastifyPluginAsync {
  return async (root) => {
    await root.register(
      async (app) => {
        app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
          done(null, body),
        );
        app.setErrorHandler((error, request, reply) => {
          const { type, status, body } = errorAnswer(error);
          if (type === 'internal')
            options.logger.error({ error: describe(error), path: pathOf(request) }, 'a request failed unexpectedly');
          reply.status(status).send(body);
        });
        queryRoutes(app, options);
        listRoutes(app, options);
        statusRoutes(app, options);
      },
      { prefix: '/prometheus/api/v1' },
    );
  };
}

function queryRoutes(app: FastifyInstance, { engine, clock }: PrometheusRoutesOptions): void {
  both(app, '/query', async (request, reply, parameters) => {
    const timeMs = timeOf(parameters, 'time') ?? clock.now();
    const result = await answered(() =>
      engine.instant({
        query: parameters.get('query') ?? '',
        timeMs,
        scope: request.scope,
        ...commonOf(parameters),
        signal: signalOf(reply),
      }),
    );
    return sendResult(reply, result, limitOf(parameters));
  });
  both(app, '/query_range', async (request, reply, parameters) => {
    const [startMs, endMs] = [requiredTime(parameters, 'start'), requiredTime(parameters, 'end')];
    if (endMs < startMs)
      throw new PrometheusError('bad_data', 'invalid parameter "end": end timestamp must not be before start time');
    const stepMs = stepOf(parameters);
    const result = await answered(() =>
      engine.range({
        query: parameters.get('query') ?? '',
        startMs,
        endMs,
        stepMs,
        scope: request.scope,
        ...commonOf(parameters),
        signal: signalOf(reply),
      }),
    );
    return sendResult(reply, result, limitOf(parameters));
  });
}

function listRoutes(app: FastifyInstance, options: PrometheusRoutesOptions): void {
  const { source, clock } = options;
  const limits = { ...LIST_LIMITS, ...options.limits };
  const requestOf = (request: FastifyRequest, parameters: Parameters) => {
    const [start, end] = [timeOf(parameters, 'start'), timeOf(parameters, 'end')];
    const range = start === undefined && end === undefined ? undefined : { from: start ?? 0, to: end ?? clock.now() };
    const limit = limitOf(parameters);
    return {
      selectors: matchersOf(parameters),
      scope: request.scope,
      ...(range && { range }),
      ...(limit > 0 && { limit }),
    };
  };
  const readOf = (reply: FastifyReply): ReadOptions => ({
    limits,
    signal: deadline(limits.seconds * 1000, signalOf(reply)),
  });

  both(app, '/series', async (request, reply, parameters) => {
    if (!parameters.has('match[]')) throw new PrometheusError('bad_data', 'no match[] parameter provided');
    const { items, truncated } = await source.series(requestOf(request, parameters), readOf(reply));
    return success(items.map(labelRecord), truncated ? [TRUNCATED] : []);
  });
  both(app, '/labels', async (request, reply, parameters) => {
    const { items, truncated } = await source.labelNames(requestOf(request, parameters), readOf(reply));
    return success(items, truncated ? [TRUNCATED] : []);
  });
  app.get<{ Params: { name: string } }>('/label/:name/values', async (request, reply) => {
    const name = decodeLabelName(request.params.name);
    if (name === undefined || name === '')
      throw new PrometheusError('bad_data', `invalid label name: ${JSON.stringify(request.params.name)}`);
    const { items, truncated } = await source.labelValues(
      { ...requestOf(request, readParameters(request)), name },
      readOf(reply),
    );
    return success(items, truncated ? [TRUNCATED] : []);
  });
  app.get('/metadata', async (request, reply) => {
    const parameters = readParameters(request);
    const family = parameters.get('metric') ?? undefined;
    const limit = limitOf(parameters);
    const perFamily = limitOf(parameters, 'limit_per_metric');
    const found = await source.metadata(
      { scope: request.scope, ...(family && { family }), ...(limit > 0 && { limit }) },
      readOf(reply),
    );
    const families = new Map<string, { type: string; help: string; unit: string }[]>();
    for (const { family, type, help, unit } of found) {
      const known = families.get(family) ?? [];
      families.set(family, known);
      if (perFamily <= 0 || known.length < perFamily) known.push({ type, help, unit });
    }
    return success(Object.fromEntries(families));
  });
  both(app, '/query_exemplars', async (request, reply, parameters) => {
    const range = { from: timeOf(parameters, 'start') ?? 0, to: timeOf(parameters, 'end') ?? clock.now() };
    if (range.to < range.from)
      throw new PrometheusError('bad_data', 'end timestamp must not be before start timestamp');
    const selectors = await answered(async () => selectorsOf(parameters.get('query') ?? ''));
    const read = readOf(reply);
    const exemplars = await source.exemplars(
      { selectors, range, scope: request.scope },
      { ...read, limits: { ...read.limits, samples: MAX_EXEMPLARS } },
    );
    return success(exemplarsBySeries(exemplars));
  });
}

function statusRoutes(app: FastifyInstance, { targets }: PrometheusRoutesOptions): void {
  app.get('/status/buildinfo', async () =>
    success({
      version: FOLLOWED_VERSION,
      revision: 'trifocal',
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    }),
  );
  app.get('/targets', async (request) =>
    success({ activeTargets: targets?.(request.scope) ?? [], droppedTargets: [] }),
  );
  app.get('/rules', async () => success({ groups: [] }, [notHere('rules')]));
  app.get('/alerts', async () => success({ alerts: [] }, [notHere('alerts')]));
}

/** Parameters come in the URL or, for POST, as a form. */
function both(
  app: FastifyInstance,
  path: string,
  answer: (request: FastifyRequest, reply: FastifyReply, parameters: Parameters) => Promise<unknown>,
): void {
  app.route({
    method: ['GET', 'POST'],
    url: path,
    handler: (request, reply) => answer(request, reply, readParameters(request)),
  });
}

function commonOf(parameters: Parameters): { lookbackMs?: number; timeoutMs?: number } {
  const lookbackMs = timeoutOf(parameters, 'lookback_delta');
  const timeoutMs = timeoutOf(parameters, 'timeout');
  return { ...(lookbackMs !== undefined && { lookbackMs }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

/** What is wrong with the query itself is said to be about its parameter. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PromqlError) || error.kind !== 'bad_data' || /^(exceeded|zero)/.test(error.message))
      throw error;
    throw new PrometheusError('bad_data', `invalid parameter "query": ${error.message}`, { cause: error });
  }
}

function success(data: unknown, warnings: readonly string[] = []): object {
  return { status: 'success', data, ...(warnings.length > 0 && { warnings }) };
}

/** Clients read an empty list as "none": they shall know that nobody looks. */
function notHere(what: string): string {
  return `this version of Trifocal has no ${what}`;
}

function sendResult(
  reply: FastifyReply,
  result: Awaited<ReturnType<PromqlEngine['instant']>>,
  limit: number,
): FastifyReply {
  const { value, truncated } = truncateResult(result.value, limit);
  const warnings = truncated ? [...result.warnings, TRUNCATED] : result.warnings;
  return reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(encodeResult({ ...result, value, warnings }), { objectMode: false }));
}
