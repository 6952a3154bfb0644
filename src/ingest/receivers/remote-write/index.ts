/**
 * Prometheus remote write 1.0 and 2.0: snappy-compressed protobuf, answered as Prometheus' own receiver does, except that
 * what is wrong with one series never costs its neighbours.
 */

import { type Door, noBody, originOf, parseContentType, type Receiver, textAnswer } from '../../doors/index.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { withUnsnappied } from '../wire/index.ts';
import { complaints, countWritten, writtenHeaders } from './answer.ts';
import type { WriteContent } from './content.ts';
import { createDecoderV1 } from './decode-v1.ts';
import { createDecoderV2 } from './decode-v2.ts';
import { negotiateVersion } from './negotiate.ts';

const door: Door = {
  name: 'remote-write',
  transport: 'http',
  path: '/prometheus/api/v1/write',
  protocol: 'remote-write',
  signal: 'samples',
  fail({ kind, status, message }, { parameters }) {
    // Prometheus drops what is answered 429, unless it is told otherwise, and comes again after 503.
    const answer = textAnswer(kind === 'limited' ? 503 : status, `${message}\n`);
    if (parameters.get('proto') !== 'io.prometheus.write.v2.Request') return answer;
    const headers = writtenHeaders({ samples: 0, histograms: 0, exemplars: 0 });
    return { ...answer, headers: { ...answer.headers, ...headers } };
  },
};

/**
 * `POST /prometheus/api/v1/write`. 204 when everything valid is stored; 400 when something was refused, although the rest
 * is stored (in version 1 series with invalid labels are left out and counted only, as Prometheus does); 415 for another
 * message or encoding; 503 or 429 when the sender is to come again.
 */
export const remoteWrite: Receiver<ReceiverOptions> = {
  doors: [door],
  open({ sink, cluster, limits = defaultBodyLimits }) {
    const decoders = { 1: createDecoderV1(), 2: createDecoderV2() };
    return new Map([
      [
        door.name,
        async (request) => {
          const { headers } = request;
          const version = negotiateVersion(parseContentType(headers['content-type']), headers['content-encoding']);
          const origin = originOf(request, 'remote-write', cluster);
          const content = await withUnsnappied(request.body, limits.maxBodyBytes, decoders[version]);
          const { rejected } = await sink.accept(batchOf(content), origin);
          for (const { kind, count, example } of content.invalid) {
            const signal = kind === 'exemplars' ? 'exemplars' : 'samples';
            sink.drop({ signal, reason: 'invalid', count, example }, origin);
          }
          const written = version === 2 ? writtenHeaders(countWritten(content, rejected)) : {};
          const lines = complaints(version, content.invalid, rejected);
          if (lines.length === 0) return { status: 204, headers: written, body: noBody };
          const answer = textAnswer(400, `${lines.join('\n')}\n`);
          return { ...answer, headers: { ...answer.headers, ...written } };
        },
      ],
    ]);
  },
};

function batchOf({ samples, histograms, exemplars, metadata }: WriteContent) {
  return {
    samples,
    ...(histograms.values.length > 0 ? { histograms } : {}),
    ...(exemplars.length > 0 ? { exemplars } : {}),
    ...(metadata.length > 0 ? { metadata } : {}),
  };
}
