/** Fluent Bit's `http` output in the formats json, json_lines, json_stream and msgpack. */

import { type Door, noBody, originOf, parseContentType, type Receiver, textAnswer } from '../../doors/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest } from '../wire/index.ts';
import { decodeJsonRecords, decodeMsgpackRecords } from './decode.ts';

const TAG = 'fluent-tag';

const door: Door = {
  name: 'fluent-bit',
  transport: 'http',
  path: '/ingest/fluentbit',
  headers: [TAG],
  protocol: 'fluent-bit',
  signal: 'logs',
  fail: ({ status, message }) => textAnswer(status, `${message}\n`),
};

const JSON_TYPES = new Set(['application/json', 'application/x-ndjson', 'application/ndjson', 'application/jsonl']);
const MSGPACK_TYPES = new Set(['application/msgpack', 'application/x-msgpack', 'application/vnd.msgpack']);

/**
 * `POST /ingest/fluentbit`. 204 when all is stored; 400 with a text when records were refused, although the others are
 * stored, or when the body cannot be read (then nothing is); 429 and 503 ask to come again, as Fluent Bit then does.
 */
export const fluentBit: Receiver<ReceiverOptions> = {
  doors: [door],
  open({ sink, clock, cluster, limits = defaultBodyLimits }) {
    return new Map([
      [
        door.name,
        async (request) => {
          const { headers, body } = request;
          const { type } = parseContentType(headers['content-type']);
          const decode = JSON_TYPES.has(type)
            ? decodeJsonRecords
            : MSGPACK_TYPES.has(type)
              ? decodeMsgpackRecords
              : undefined;
          if (decode === undefined) {
            throw new RefusedRequest(
              415,
              `content type "${type}" is not supported: send application/json, application/x-ndjson or application/msgpack`,
            );
          }
          const content = await decompress(body, headers['content-encoding'], limits.maxBodyBytes);
          const observedNs = BigInt(Math.round(clock.now())) * 1_000_000n;
          const { logs, arrivalTimed, invalid, unreadTimes } = await decode(content, {
            observedNs,
            tag: headers[TAG] ?? '',
          });
          const origin = originOf(request, door.protocol, cluster);
          const { rejected } = await sink.accept({ logs, arrivalTimed }, origin);
          const problems = rejected.map(({ example }) => example);
          if (invalid.count > 0) {
            const { count, because } = invalid;
            sink.drop({ signal: 'logs', reason: 'invalid', count, example: because }, origin);
            problems.push(redactText(because));
          }
          if (unreadTimes.count > 0) {
            const { count, because } = unreadTimes;
            sink.drop({ signal: 'logs', reason: 'invalid', count, example: `${because}; it is kept` }, origin);
          }
          if (problems.length === 0) return { status: 204, headers: {}, body: noBody };
          return textAnswer(400, `${problems.join('\n')}\n`);
        },
      ],
    ]);
  },
};
