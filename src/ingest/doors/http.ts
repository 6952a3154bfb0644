import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedRequest, tooLarge } from '../errors.ts';
import type { Admission } from './admission.ts';
import { parseContentType } from './content-type.ts';
import type { Door, DoorAnswer, DoorRequest } from './door.ts';
import { toFailure } from './failure.ts';
import { CLUSTER_HEADER, type DoorService, failed } from './open.ts';
import { senderOf } from './sender.ts';

/**
 * The HTTP doors as routes. Room for a body is reserved before it is read. Content types that a browser sends across
 * origins without asking are always refused. What the server around it refuses (a foreign Host) is answered by that.
 */
export function httpDoors(
  doors: readonly Door[],
  options: { service: DoorService; admission: Admission; maxBodyBytes: number },
): FastifyPluginAsync {
  const { service, admission, maxBodyBytes } = options;
  return async (app) => {
    for (const door of doors) {
      if (door.transport !== 'http') continue;
      const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
        const failure = toFailure(error);
        service.refused(door.name, failure, sender(request));
        return send(reply, failed(door, failure, request.headers['content-type']));
      };
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
          done(null, body),
        );
        scope.setErrorHandler((error, request, reply) => {
          const refused = fromFastify(error, maxBodyBytes);
          if (refused === undefined) throw error;
          return refuse(refused, request, reply);
        });
        const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
          try {
            refuseSimpleRequests(request);
            const release = admission.reserve(sender(request), announcedBytes(request, maxBodyBytes));
            reply.raw.once('close', release);
          } catch (error) {
            await refuse(error, request, reply);
          }
        };
        scope.post(door.path, { bodyLimit: maxBodyBytes, onRequest }, async (request, reply) => {
          const from = sender(request);
          const handled = await admission.inTurn(from, () => service.handle(toDoor(door, request, from)));
          return send(reply, handled);
        });
      });
    }
  };
}

function toDoor(door: Door, request: FastifyRequest, sender: string): DoorRequest {
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'content-encoding', CLUSTER_HEADER, ...(door.headers ?? [])]) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { door: door.name, headers, body, sender };
}

function send(reply: FastifyReply, { status, headers, body }: DoorAnswer): FastifyReply {
  reply.status(status).headers(headers);
  return body.length === 0 ? reply.send() : reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}

function sender(request: FastifyRequest): string {
  return senderOf(request.socket.remoteAddress, request.headers['user-agent']);
}

/** A body without a length may be as large as any. */
function announcedBytes(request: FastifyRequest, maxBodyBytes: number): number {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  return Number.isNaN(length) ? maxBodyBytes : Math.min(length, maxBodyBytes);
}

/** A page in the operator's browser can send these to any address without a preflight. */
function refuseSimpleRequests(request: FastifyRequest): void {
  const { type } = parseContentType(request.headers['content-type']);
  if (type === '') throw new RefusedRequest(415, 'a Content-Type header is required');
  if (type === 'text/plain' || type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') {
    throw new RefusedRequest(415, `content type "${type}" is not accepted here`);
  }
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
