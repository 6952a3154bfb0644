/**
 * What `trifocal import` sends where no protocol of its own carries it: samples as OpenMetrics or Prometheus text with times,
 * and Kubernetes objects as they were at a moment. Answers how many were taken and what was refused.
 */

import type { ObjectVersion } from '../../../model/index.ts';
import { type Door, type DoorAnswer, originOf, parseContentType, type Receiver } from '../../doors/index.ts';
import { defaultAcceptedTimes } from '../../pipeline/index.ts';
import type { BatchOrigin, Rejection, SignalSink } from '../../sink.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest } from '../wire/index.ts';
import { type DecodedObjects, decodeObjects } from './objects.ts';
import { createTextDecoder } from './text.ts';

const fail: Door['fail'] = ({ kind, status, message }) => jsonAnswer(status, { error: { code: kind, message } });

const text: Door = {
  name: 'import/metrics',
  transport: 'http',
  path: '/api/import/metrics',
  protocol: 'import',
  signal: 'samples',
  fail,
};

const objects: Door = { ...text, name: 'import/objects', path: '/api/import/objects', signal: 'objects' };

/**
 * `POST /api/import/metrics` takes `application/openmetrics-text` (times in seconds) or `application/prometheus-text` (times in
 * milliseconds); `POST /api/import/objects` takes JSON `{at?, objects}`. 200 with `{accepted, rejected}`: bad lines and objects
 * cost none of their neighbours; 400 when the body is none; 503 when busy.
 */
export const importer: Receiver<ReceiverOptions> = {
  doors: [text, objects],
  open({ sink, clock, cluster, limits = defaultBodyLimits, accept = defaultAcceptedTimes }) {
    const decodeText = createTextDecoder();
    const contentOf = (headers: Readonly<Record<string, string>>, body: Buffer) =>
      decompress(body, headers['content-encoding'], limits.maxBodyBytes);
    return new Map([
      [
        text.name,
        async (request) => {
          const { type } = parseContentType(request.headers['content-type']);
          const format = FORMATS[type];
          if (format === undefined) {
            throw new RefusedRequest(
              415,
              `content type "${type}" is not supported: send ${Object.keys(FORMATS).join(' or ')}`,
            );
          }
          const origin = originOf(request, 'import', cluster);
          const { invalid, count, ...batch } = await decodeText(await contentOf(request.headers, request.body), format);
          const { rejected } = await sink.accept(batch, origin);
          return answer(sink, origin, count, rejected, invalid);
        },
      ],
      [
        objects.name,
        async (request) => {
          const { type } = parseContentType(request.headers['content-type']);
          if (type !== 'application/json')
            throw new RefusedRequest(415, `content type "${type}" is not supported: send application/json`);
          const origin = originOf(request, 'import', cluster);
          const body = await contentOf(request.headers, request.body);
          const decoded = await decodeObjects(body, {
            nowMs: clock.now(),
            accept,
            cluster: origin.cluster ?? 'unknown',
          });
          return takeObjects(sink, origin, decoded);
        },
      ],
    ]);
  },
};

const FORMATS: Readonly<Partial<Record<string, 'openmetrics' | 'text'>>> = {
  'application/openmetrics-text': 'openmetrics',
  'application/prometheus-text': 'text',
};

/**
 * Part by part. Only the last brings the mark of the request: until then it is not known as done, and what comes again is the
 * same versions.
 */
async function takeObjects(
  sink: SignalSink,
  origin: BatchOrigin,
  { parts, invalid, arrivalTimed }: DecodedObjects,
): Promise<DoorAnswer> {
  const { request: _, bytes: __, ...ofPart } = origin;
  const refused: Rejection[] = [];
  let waiting: ObjectVersion[] = [];
  let count = 0;
  const take = async (from: BatchOrigin) => {
    refused.push(...(await sink.accept({ objects: waiting, arrivalTimed }, from)).rejected);
  };
  for await (const part of parts) {
    if (waiting.length > 0) await take(ofPart);
    waiting = part;
    count += part.length;
  }
  await take(origin);
  return answer(sink, origin, count, refused, invalid());
}

/** `count` signals were decoded; of those the sink refused some, and `invalid` never came so far. */
function answer(
  sink: SignalSink,
  origin: BatchOrigin,
  count: number,
  refused: readonly Rejection[],
  invalid: readonly Rejection[],
): DoorAnswer {
  for (const rejection of invalid) sink.drop(rejection, origin);
  const lost = refused.reduce((sum, rejection) => sum + rejection.count, 0);
  const rejected = [...refused, ...invalid].map(({ signal, reason, count, example }) => ({
    signal,
    reason,
    count,
    example,
  }));
  return jsonAnswer(200, { accepted: Math.max(0, count - lost), rejected });
}

function jsonAnswer(status: number, value: unknown): DoorAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}
