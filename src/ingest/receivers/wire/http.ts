import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/index.ts';
import { BackPressureError } from '../../sink.ts';
import { tooLarge } from './body.ts';
import { DecodeError, RefusedRequest } from './errors.ts';

export interface ContentType {
  /** Lower case, without parameters. */
  type: string;
  parameters: ReadonlyMap<string, string>;
}

/** What went wrong with a request, in the terms that all protocols share. */
export interface Failure {
  kind: 'malformed' | 'too-large' | 'unsupported' | 'busy' | 'unexpected';
  status: number;
  message: string;
  /** Seconds after which the sender may come again, where `kind` is `busy`. */
  retryAfterSeconds?: number;
}

/**
 * One route that takes a body of bytes. `handle` answers itself; whatever it throws becomes a Failure that `answer`
 * puts in the protocol's words. Content types that a browser sends across origins without asking are always refused.
 * What the server around it refuses (a foreign Host) is answered by that server.
 */
export function receive(
  app: FastifyInstance,
  route: {
    url: string;
    maxBodyBytes: number;
    logger: Logger;
    handle(body: Buffer, type: ContentType, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
    answer(failure: Failure, type: ContentType, reply: FastifyReply): unknown;
  },
): void {
  const { url, maxBodyBytes } = route;
  const fail = (failure: Failure, request: FastifyRequest, reply: FastifyReply) => {
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
    reply.status(failure.status);
    return route.answer(failure, typeOf(request), reply);
  };
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler((error, request, reply) => {
      const refused = error instanceof RefusedRequest ? error : fromFastify(error, maxBodyBytes);
      if (refused === undefined) throw error;
      return fail(toFailure(refused), request, reply);
    });
    const onRequest = async (request: FastifyRequest) => refuseSimpleRequests(typeOf(request));
    scope.post(url, { bodyLimit: maxBodyBytes, onRequest }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      try {
        return await route.handle(body, typeOf(request), request, reply);
      } catch (error) {
        const failure = toFailure(error);
        if (failure.kind === 'unexpected') {
          const text = error instanceof Error ? error.stack : String(error);
          route.logger.error({ url, error: text }, 'a request failed unexpectedly');
        }
        return fail(failure, request, reply);
      }
    });
  });
}

function typeOf(request: FastifyRequest): ContentType {
  return parseContentType(request.headers['content-type']);
}

/** A page in the operator's browser can send these to any address without a preflight. */
function refuseSimpleRequests({ type }: ContentType): void {
  if (type === '') throw new RefusedRequest(415, 'a Content-Type header is required');
  if (type === 'text/plain' || type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') {
    throw new RefusedRequest(415, `content type "${type}" is not accepted here`);
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof BackPressureError) {
    const retryAfterSeconds = Math.max(1, Math.ceil(error.retryAfterSeconds));
    return { kind: 'busy', status: 503, message: error.message, retryAfterSeconds };
  }
  if (error instanceof DecodeError) return { kind: 'malformed', status: 400, message: error.message };
  if (error instanceof RefusedRequest) {
    const kind = error.status === 413 ? 'too-large' : error.status === 415 ? 'unsupported' : 'malformed';
    return { kind, status: error.status, message: error.message };
  }
  return { kind: 'unexpected', status: 500, message: 'unexpected error; the log has the details' };
}

/** Errors with which Fastify itself refuses a body. */
function fromFastify(error: unknown, maxBodyBytes: number): RefusedRequest | undefined {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR_CTP_'))
    return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(maxBodyBytes);
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new RefusedRequest(415, 'the Content-Type header is not a media type');
  }
  return new RefusedRequest(400, error.message);
}

export function parseContentType(header: string | undefined): ContentType {
  const [type = '', ...rest] = (header ?? '').split(';');
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [name = '', value = ''] = part.split('=', 2);
    parameters.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return { type: type.trim().toLowerCase(), parameters };
}
