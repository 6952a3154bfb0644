/** Prometheus remote write 1.0: snappy-compressed protobuf, answered as Prometheus' own receiver does. */

import type { FastifyPluginAsync } from 'fastify';
import type { Rejection } from '../../sink.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { type ContentType, RefusedRequest, receive, unsnappy } from '../wire/index.ts';
import { createWriteDecoder } from './decode.ts';

export { createWriteDecoder } from './decode.ts';

/**
 * `POST /prometheus/api/v1/write`. 204 when everything valid is stored (series with invalid labels are left out and
 * counted, as Prometheus does); 400 when samples were refused, although their neighbours are stored; 503 when busy.
 */
export function remoteWrite(options: ReceiverOptions): FastifyPluginAsync {
  const { sink, logger, limits = defaultBodyLimits } = options;
  const decode = createWriteDecoder();
  const cluster = options.cluster === undefined ? {} : { cluster: options.cluster };

  return async (app) => {
    receive(app, {
      url: '/prometheus/api/v1/write',
      maxBodyBytes: limits.maxBodyBytes,
      logger,
      async handle(body, type, request, reply) {
        refuseOtherVersions(type, request.headers['content-encoding']);
        const origin = { protocol: 'remote-write' as const, ...cluster, bytes: body.length };
        const content = await unsnappy(body, limits.maxBodyBytes);
        const { samples, metadata, invalid, histograms } = await decode(content);
        const { rejected } = await sink.accept(metadata.length > 0 ? { samples, metadata } : { samples }, origin);
        const refused: Rejection[] = [...rejected];
        if (invalid.count > 0) sink.drop({ signal: 'samples', reason: 'invalid', ...invalid }, origin);
        if (histograms.count > 0) {
          const rejection: Rejection = { signal: 'samples', reason: 'invalid', ...histograms };
          sink.drop(rejection, origin);
          refused.push(rejection);
        }
        if (refused.length > 0) {
          const text = refused.map((r) => `${r.count} samples refused (${r.reason}): ${r.example}`).join('\n');
          return reply.status(400).type('text/plain; charset=utf-8').send(`${text}\n`);
        }
        return reply.status(204).send();
      },
      answer(failure, _type, reply) {
        if (failure.kind === 'too-large') {
          const example = failure.message;
          sink.drop(
            { signal: 'samples', reason: 'oversize', count: 1, example },
            { protocol: 'remote-write', ...cluster },
          );
        } else if (failure.kind === 'malformed') {
          const example = failure.message;
          sink.drop(
            { signal: 'samples', reason: 'unreadable', count: 1, example },
            { protocol: 'remote-write', ...cluster },
          );
        }
        return reply.type('text/plain; charset=utf-8').send(`${failure.message}\n`);
      },
    });
  };
}

function refuseOtherVersions({ type, parameters }: ContentType, encoding: string | undefined): void {
  if (type !== 'application/x-protobuf') {
    throw new RefusedRequest(415, `content type "${type}" is not remote write: send application/x-protobuf`);
  }
  const message = parameters.get('proto') ?? 'prometheus.WriteRequest';
  if (message !== 'prometheus.WriteRequest') {
    throw new RefusedRequest(
      415,
      `message ${message} is not supported: send prometheus.WriteRequest (remote write 1.0)`,
    );
  }
  if ((encoding ?? 'snappy') !== 'snappy') {
    throw new RefusedRequest(415, `content encoding "${encoding}" is not supported: remote write uses snappy`);
  }
}
