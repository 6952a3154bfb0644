/** Loki's push API in JSON and in snappy-compressed protobuf. Stream labels become the resource, structured metadata the attributes. */

import type { FastifyPluginAsync } from 'fastify';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest, receive, unsnappy } from '../wire/index.ts';
import { decodeJsonPush } from './json.ts';
import { decodeProtobufPush } from './protobuf.ts';

export { decodeJsonPush } from './json.ts';
export { parseStreamLabels } from './labels.ts';
export { decodeProtobufPush } from './protobuf.ts';

/**
 * `POST /loki/api/v1/push`. 204 when all is stored; 400 with a text when entries were refused, although the others are
 * stored, or when the body cannot be read (then nothing is); 503 when busy.
 */
export function lokiPush(options: ReceiverOptions): FastifyPluginAsync {
  const { sink, clock, logger, limits = defaultBodyLimits } = options;
  const cluster = options.cluster === undefined ? {} : { cluster: options.cluster };

  const read = async (body: Buffer, type: string, encoding: string | undefined) => {
    const now = BigInt(Math.round(clock.now())) * 1_000_000n;
    if (type === 'application/json') {
      return decodeJsonPush(await decompress(body, encoding, limits.maxBodyBytes), now);
    }
    if (type !== 'application/x-protobuf' && type !== 'application/octet-stream') {
      throw new RefusedRequest(
        415,
        `content type "${type}" is not supported: send application/json or application/x-protobuf`,
      );
    }
    // The block format needs no Content-Encoding; senders that name it mean the same.
    const block = encoding === 'snappy' ? body : await decompress(body, encoding, limits.maxBodyBytes);
    return decodeProtobufPush(await unsnappy(block, limits.maxBodyBytes), now);
  };

  return async (app) => {
    receive(app, {
      url: '/loki/api/v1/push',
      maxBodyBytes: limits.maxBodyBytes,
      logger,
      async handle(body, { type }, request, reply) {
        const origin = { protocol: 'loki' as const, ...cluster, bytes: body.length };
        const { logs, invalid } = await read(body, type, request.headers['content-encoding']);
        const { rejected } = await sink.accept({ logs }, origin);
        for (const { count, because } of invalid) {
          sink.drop({ signal: 'logs', reason: 'invalid', count, example: because }, origin);
        }
        const problems = [...rejected.map((r) => r.example), ...invalid.map((i) => i.because)];
        if (problems.length === 0) return reply.status(204).send();
        return reply
          .status(400)
          .type('text/plain; charset=utf-8')
          .send(`${problems.join('\n')}\n`);
      },
      answer(failure, _type, reply) {
        const origin = { protocol: 'loki' as const, ...cluster };
        const example = failure.message;
        if (failure.kind === 'too-large') sink.drop({ signal: 'logs', reason: 'oversize', count: 1, example }, origin);
        else if (failure.kind === 'malformed')
          sink.drop({ signal: 'logs', reason: 'unreadable', count: 1, example }, origin);
        return reply.type('text/plain; charset=utf-8').send(`${failure.message}\n`);
      },
    });
  };
}
