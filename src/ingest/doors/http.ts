import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../base/index.ts';
import { RefusedRequest, tooLarge } from '../errors.ts';
import { BackPressureError } from '../sink.ts';
import type { Admission, Room } from './admission.ts';
import { parseContentType } from './content-type.ts';
import type { Door, DoorAnswer, DoorRequest } from './door.ts';
import { logUnexpected, toFailure } from './failure.ts';
import { CLUSTER_HEADER, type DoorService, failed } from './open.ts';
import { readBody } from './read-body.ts';
import { addressOf, senderOf } from './sender.ts';

/**
 * The HTTP doors as routes. Room for a body is taken as it arrives and given back when nobody works on it any more. Content
 * types that a browser sends across origins without asking are always refused. What the server around it refuses (a
 * foreign Host) is answered by that.
 */
export function httpDoors(
  doors: readonly Door[],
  options: { service: DoorService; admission: Admission; maxBodyBytes: number; logger: Logger },
): FastifyPluginAsync {
  const { service, admission, maxBodyBytes, logger } = options;
  return async (app) => {
    for (const door of doors) {
      if (door.transport !== 'http') continue;
      const rooms = new WeakMap<FastifyRequest, Room>();
      const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
        const failure = toFailure(error);
        if (failure.kind === 'unexpected') logUnexpected(logger, door, error);
        service.refused(door.name, failure, sender(request));
        // The rest of a body that was not read to its end may still be on its way.
        if (!request.raw.complete) reply.header('connection', 'close');
        return send(reply, failed(door, failure, request.headers['content-type']));
      };
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
          if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
          const room = admission.enter(addressOf(request.socket.remoteAddress));
          try {
            const body = await readBody(payload, room, maxBodyBytes);
            rooms.set(request, room);
            return body;
          } catch (error) {
            room.release();
            throw error;
          }
        });
        scope.setErrorHandler((error, request, reply) => {
          if (error instanceof RefusedRequest || error instanceof BackPressureError)
            return refuse(error, request, reply);
          const refused = fromFastify(error);
          if (refused === undefined) throw error;
          return refuse(refused, request, reply);
        });
        const onRequest = async (request: FastifyRequest) => refuseSimpleRequests(request);
        scope.post(door.path, { onRequest }, async (request, reply) => {
          const from = sender(request);
          try {
            const handled = await admission.inTurn(from, async () => {
              // Who has gone comes again; working for it now would only make the others wait.
              if (request.socket.destroyed) throw new RefusedRequest(408, 'the sender has gone');
              return service.handle(toDoor(door, request, from));
            });
            return send(reply, handled);
          } catch (error) {
            return refuse(error, request, reply);
          } finally {
            rooms.get(request)?.release();
          }
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

/** A page in the operator's browser can send these to any address without a preflight. */
function refuseSimpleRequests(request: FastifyRequest): void {
  const { type } = parseContentType(request.headers['content-type']);
  if (type === '') throw new RefusedRequest(415, 'a Content-Type header is required');
  if (type === 'text/plain' || type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') {
    throw new RefusedRequest(415, `content type "${type}" is not accepted here`);
  }
}

/** Errors with which Fastify itself refuses a body. */
function fromFastify(error: unknown): RefusedRequest | undefined {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR_CTP_'))
    return undefined;
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new RefusedRequest(415, 'the Content-Type header is not a media type');
  }
  return new RefusedRequest(400, error.message);
}
