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
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: route.maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler((error, request, reply) => {
      const failure = toFailure(error, route.maxBodyBytes);
      if (failure.kind === 'unexpected') {
        route.logger.error(
          { url: route.url, error: error instanceof Error ? error.stack : String(error) },
          'a request failed unexpectedly',
        );
      }
      if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
      reply.status(failure.status);
      return route.answer(failure, parseContentType(request.headers['content-type']), reply);
    });
    scope.post(
      route.url,
      {
        bodyLimit: route.maxBodyBytes,
        onRequest: async (request) => refuseSimpleRequests(parseContentType(request.headers['content-type'])),
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        return route.handle(body, parseContentType(request.headers['content-type']), request, reply);
      },
    );
  });
}

/** A page in the operator's browser can send these to any address without a preflight. */
function refuseSimpleRequests({ type }: ContentType): void {
  if (type === '') throw new RefusedRequest(415, 'a Content-Type header is required');
  if (type === 'text/plain' || type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') {
    throw new RefusedRequest(415, `content type "${type}" is not accepted here`);
  }
}

function toFailure(error: unknown, maxBodyBytes: number): Failure {
  if (error instanceof BackPressureError) {
    const retryAfterSeconds = Math.max(1, Math.ceil(error.retryAfterSeconds));
    return { kind: 'busy', status: 503, message: error.message, retryAfterSeconds };
  }
  if (error instanceof DecodeError) return { kind: 'malformed', status: 400, message: error.message };
  const known = error instanceof RefusedRequest ? error : fromFastify(error, maxBodyBytes);
  if (known === undefined)
    return { kind: 'unexpected', status: 500, message: 'unexpected error; the log has the details' };
  const kind = known.status === 413 ? 'too-large' : known.status === 415 ? 'unsupported' : 'malformed';
  return { kind, status: known.status, message: known.message };
}

/** Errors with which Fastify itself refuses a body. */
function fromFastify(error: unknown, maxBodyBytes: number): RefusedRequest | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  if (error.statusCode === 413) return tooLarge(maxBodyBytes);
  if (error.statusCode === 415) return new RefusedRequest(415, 'the Content-Type header is not a media type');
  if (error.statusCode === 400) return new RefusedRequest(400, error.message);
  return undefined;
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
