/** Loki's push API in JSON and in snappy-compressed protobuf. Stream labels become the resource, structured metadata the attributes. */

import { type Door, noBody, originOf, parseContentType, type Receiver, textAnswer } from '../../doors/index.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest, unsnappy } from '../wire/index.ts';
import { decodeJsonPush } from './json.ts';
import { decodeProtobufPush } from './protobuf.ts';

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
  open({ sink, clock, cluster, limits = defaultBodyLimits }) {
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
    return new Map([
      [
        door.name,
        async (request) => {
          const { headers, body } = request;
          const origin = originOf(request, 'loki', cluster);
          const { type } = parseContentType(headers['content-type']);
          const { logs, invalid } = await read(body, type, headers['content-encoding']);
          const { rejected } = await sink.accept({ logs }, origin);
          for (const { count, because } of invalid) {
            sink.drop({ signal: 'logs', reason: 'invalid', count, example: because }, origin);
          }
          const problems = [...rejected.map((r) => r.example), ...invalid.map((i) => i.because)];
          if (problems.length === 0) return { status: 204, headers: {}, body: noBody };
          return textAnswer(400, `${problems.join('\n')}\n`);
        },
      ],
    ]);
  },
};
