/** Loki's push API in JSON and in snappy-compressed protobuf. Stream labels become the resource, structured metadata the attributes. */

import { type Door, noBody, originOf, parseContentType, type Receiver, textAnswer } from '../../doors/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest, withUnsnappied } from '../wire/index.ts';
import { decodeJsonPush } from './json.ts';
import { decodeProtobufPush } from './protobuf.ts';
import { defaultStreamLimits } from './stream.ts';

export { decodeJsonPush } from './json.ts';
export { parseStreamLabels } from './labels.ts';
export { decodeProtobufPush } from './protobuf.ts';

const door: Door = {
  name: 'loki',
  transport: 'http',
  path: '/loki/api/v1/push',
  protocol: 'loki',
  signal: 'logs',
  fail: ({ status, message }) => textAnswer(status, `${message}\n`),
};

/**
 * `POST /loki/api/v1/push`. 204 when all is stored; 400 with a text when entries were refused, although the others are
 * stored, or when the body cannot be read (then nothing is); 503 when busy.
 */
export const lokiPush: Receiver<ReceiverOptions> = {
  doors: [door],
  open({ sink, clock, cluster, limits = defaultBodyLimits, streamLabels = defaultStreamLimits.labels }) {
    const ofStreams = { ...defaultStreamLimits, labels: streamLabels };
    const read = async (body: Buffer, type: string, encoding: string | undefined) => {
      const now = BigInt(Math.round(clock.now())) * 1_000_000n;
      if (type === 'application/json') {
        return decodeJsonPush(await decompress(body, encoding, limits.maxBodyBytes), now, ofStreams);
      }
      if (type !== 'application/x-protobuf' && type !== 'application/octet-stream') {
        throw new RefusedRequest(
          415,
          `content type "${type}" is not supported: send application/json or application/x-protobuf`,
        );
      }
      // The block format needs no Content-Encoding; senders that name it mean the same.
      const block = encoding === 'snappy' ? body : await decompress(body, encoding, limits.maxBodyBytes);
      return withUnsnappied(block, limits.maxBodyBytes, (content) => decodeProtobufPush(content, now, ofStreams));
    };
    return new Map([
      [
        door.name,
        async (request) => {
          const { headers, body } = request;
          const origin = originOf(request, 'loki', cluster);
          const { type } = parseContentType(headers['content-type']);
          const { logs, refused, escaped } = await read(body, type, headers['content-encoding']);
          const { rejected } = await sink.accept({ logs }, origin);
          for (const { reason, count, because } of refused) {
            sink.drop({ signal: 'logs', reason, count, example: because }, origin);
          }
          if (escaped > 0) sink.drop({ signal: 'logs', reason: 'invalid', count: escaped, example: NOT_UTF8 }, origin);
          const problems = [
            ...rejected.map(({ count, example }) => sentence(count, example)),
            ...refused.map(({ count, because }) => sentence(count, redactText(because))),
          ];
          if (problems.length === 0) return { status: 204, headers: {}, body: noBody };
          return textAnswer(400, `${problems.join('\n')}\n`);
        },
      ],
    ]);
  },
};

const NOT_UTF8 = 'a line was not UTF-8: it is stored with its other bytes written as \\xNN';

function sentence(count: number, first: string): string {
  return count === 1 ? first : `${first} (the first of ${count} entries that are refused for this)`;
}
