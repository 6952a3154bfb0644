import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isAbort, type Logger } from '../base/index.ts';
import { BackPressureError } from '../ingest/index.ts';
import { everything, type Scope } from '../model/index.ts';
import { StoreError } from '../store/index.ts';
import { ApiError, ERROR_CODES, type ErrorCode } from './errors.ts';
import { describe, pathOf } from './failure.ts';
import { guardOrigin } from './origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What this request may see. */
    scope: Scope;
  }
}

/**
 * An HTTP server with what every door needs: Host and Origin checks, security headers, the scope of each request,
 * and one place where errors become answers. Routes and receivers are registered on it as plugins.
 */
export function createHttpServer(options: {
  logger: Logger;
  maxBodyBytes: number;
  allowedHosts: readonly string[];
}): FastifyInstance {
  const app = Fastify({
    bodyLimit: options.maxBodyBytes,
    routerOptions: { maxParamLength: 2048 },
    forceCloseConnections: true,
    requestTimeout: 60_000,
    // Fastify wants its own logger's shape. Requests are counted in metrics, not logged one by one.
    loggerInstance: quiet(options.logger),
  });
  app.decorateRequest('scope');
  app.addHook('onRequest', async (request, reply) => {
    request.scope = everything;
    guardOrigin(request, options.allowedHosts);
    reply.headers(SECURITY_HEADERS);
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.logger));
  app.setNotFoundHandler((request, reply) => {
    refuseOtherMethods(app, request, reply);
    throw new ApiError('not_found', `nothing is served at ${request.method} ${pathOf(request)}`);
  });
  return app;
}

/** Throws `method_not_allowed` where the path is served, but by another method. */
export function refuseOtherMethods(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  const path = pathOf(request);
  const allowed = (['GET', 'POST', 'PUT', 'DELETE'] as const).filter((method) => app.hasRoute({ method, url: path }));
  if (allowed.length === 0 || allowed.some((method) => method === request.method)) return;
  const list = allowed.join(', ');
  reply.header('allow', list);
  throw new ApiError('method_not_allowed', `${path} takes ${list}, not ${request.method}`);
}

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const known = toApiError(error);
  if (known.code === 'internal')
    logger.error({ error: describe(error), path: pathOf(request) }, 'a request failed unexpectedly');
  reply
    .status(ERROR_CODES[known.code].status)
    .send({ error: { code: known.code, message: known.message, ...known.details } });
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof z.ZodError) return fromZod(error);
  if (error instanceof StoreError) return fromStore(error);
  // The ingest thread is being started again.
  if (error instanceof BackPressureError) return new ApiError('busy', error.message);
  if (isAbort(error)) return new ApiError('timeout', 'the request took too long and was stopped');
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  if (status >= 500) return new ApiError('internal', 'unexpected error; the log has the details');
  return new ApiError(BY_STATUS[status] ?? 'bad_request', message);
}

const BY_STATUS: Record<number, ErrorCode> = {
  404: 'not_found',
  413: 'too_large',
  415: 'unsupported_media_type',
  403: 'forbidden_origin',
};

function fromZod(error: z.ZodError): ApiError {
  const [first] = error.issues;
  const path = first?.path.join('.') ?? '';
  const others = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  return new ApiError(
    'bad_request',
    `${path ? `${path}: ` : ''}${first?.message ?? 'invalid'}${others}`,
    path ? { path } : {},
  );
}

function fromStore(error: StoreError): ApiError {
  if (error.kind === 'down') return new ApiError('store_unavailable', error.message);
  if (error.kind === 'limit') return new ApiError('query_limit', error.message);
  if (error.kind === 'aborted') return new ApiError('timeout', error.message);
  return new ApiError('internal', 'the store refused a statement; the log has the details', { cause: error });
}

function quiet(logger: Logger): FastifyBaseLogger {
  const log = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: unknown, message?: string) =>
    logger[level](typeof fields === 'object' && fields !== null ? fields : {}, message ?? String(fields));
  const adapted = {
    level: 'warn',
    silent: () => {},
    trace: () => {},
    debug: () => {},
    info: () => {},
    warn: log('warn'),
    error: log('error'),
    fatal: log('error'),
    child: () => adapted,
  };
  return adapted as FastifyBaseLogger; // it has every method that fastify calls
}
