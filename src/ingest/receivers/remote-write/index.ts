/** Prometheus remote write 1.0: snappy-compressed protobuf, answered as Prometheus' own receiver does. */

import {
  type ContentType,
  type Door,
  noBody,
  originOf,
  parseContentType,
  type Receiver,
  textAnswer,
} from '../../doors/index.ts';
import type { Rejection } from '../../sink.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { RefusedRequest, unsnappy } from '../wire/index.ts';
import { createWriteDecoder } from './decode.ts';

export { createWriteDecoder } from './decode.ts';

const door: Door = {
  name: 'remote-write',
  transport: 'http',
  path: '/prometheus/api/v1/write',
  headers: ['x-prometheus-remote-write-version'],
  protocol: 'remote-write',
  signal: 'samples',
  fail: ({ status, message }) => textAnswer(status, `${message}\n`),
};

/**
 * `POST /prometheus/api/v1/write`. 204 when everything valid is stored (series with invalid labels are left out and
 * counted, as Prometheus does); 400 when samples were refused, although their neighbours are stored; 503 when busy.
 */
export const remoteWrite: Receiver<ReceiverOptions> = {
  doors: [door],
  open({ sink, cluster, limits = defaultBodyLimits }) {
    const decode = createWriteDecoder();
    return new Map([
      [
        door.name,
        async (request) => {
          refuseOtherVersions(parseContentType(request.headers['content-type']), request.headers['content-encoding']);
          const origin = originOf(request, 'remote-write', cluster);
          const content = await unsnappy(request.body, limits.maxBodyBytes);
          const { samples, metadata, invalid, histograms } = await decode(content);
          const { rejected } = await sink.accept(metadata.length > 0 ? { samples, metadata } : { samples }, origin);
          const refused: Rejection[] = [...rejected];
          if (invalid.count > 0) sink.drop({ signal: 'samples', reason: 'invalid', ...invalid }, origin);
          if (histograms.count > 0) {
            const rejection: Rejection = { signal: 'samples', reason: 'invalid', ...histograms };
            sink.drop(rejection, origin);
            refused.push(rejection);
          }
          if (refused.length === 0) return { status: 204, headers: {}, body: noBody };
          const text = refused.map((r) => `${r.count} samples refused (${r.reason}): ${r.example}`).join('\n');
          return textAnswer(400, `${text}\n`);
        },
      ],
    ]);
  },
};

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
