import type { FastifyPluginAsync } from 'fastify';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { type ContentType, decompress, type Failure, RefusedRequest, receive } from '../wire/index.ts';
import { exportResponse, statusMessage } from './answers.ts';
import type { ExportResult, OtlpEncoding, OtlpExporter, OtlpSignal } from './export.ts';

const REJECTED_FIELD = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' } as const;

/**
 * `POST /v1/traces`, `/v1/metrics`, `/v1/logs` in protobuf and JSON. Answers in the request's encoding: 200 with
 * `partial_success` where items were refused, else `google.rpc.Status` with 400, 413, 415 or 503 and Retry-After.
 */
export function otlpHttp(options: ReceiverOptions, exporter: OtlpExporter): FastifyPluginAsync {
  const { logger, limits = defaultBodyLimits } = options;

  return async (app) => {
    for (const signal of ['traces', 'metrics', 'logs'] as const) {
      receive(app, {
        url: `/v1/${signal}`,
        maxBodyBytes: limits.maxBodyBytes,
        logger,
        async handle(body, type, request, reply) {
          const encoding = encodingOf(type);
          if (encoding === undefined) {
            throw new RefusedRequest(
              415,
              `content type "${type.type}" is not OTLP: send application/x-protobuf or application/json`,
            );
          }
          const content = await decompress(body, request.headers['content-encoding'], limits.maxBodyBytes);
          const result = await exporter.export(signal, encoding, content, body.length);
          if (result.unusable) {
            const failure: Failure = { kind: 'malformed', status: 400, message: result.message };
            return reply.status(400).type(mediaType(encoding)).send(statusBody(encoding, failure));
          }
          return reply
            .status(200)
            .type(mediaType(encoding))
            .send(answerBody(signal, encoding, result));
        },
        answer(failure, type, reply) {
          const reason =
            failure.kind === 'too-large' ? 'oversize' : failure.kind === 'malformed' ? 'unreadable' : undefined;
          if (reason !== undefined) exporter.drop(signal, reason, failure.message);
          const encoding = encodingOf(type) ?? 'json';
          return reply.type(mediaType(encoding)).send(statusBody(encoding, failure));
        },
      });
    }
  };
}

function encodingOf({ type }: ContentType): OtlpEncoding | undefined {
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}

function mediaType(encoding: OtlpEncoding): string {
  return encoding === 'json' ? 'application/json' : 'application/x-protobuf';
}

function answerBody(signal: OtlpSignal, encoding: OtlpEncoding, result: ExportResult): Buffer {
  if (encoding === 'protobuf') return exportResponse(result);
  if (result.rejected === 0 && result.message === '') return Buffer.from('{}');
  // 64-bit integers are text in protobuf's JSON.
  const partialSuccess = { [REJECTED_FIELD[signal]]: String(result.rejected), errorMessage: result.message };
  return Buffer.from(JSON.stringify({ partialSuccess }));
}

/** google.rpc codes. */
const CODES: Record<Failure['kind'], number> = {
  malformed: 3,
  unsupported: 3,
  'too-large': 8,
  busy: 14,
  unexpected: 13,
};

function statusBody(encoding: OtlpEncoding, { kind, message }: Failure): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code: CODES[kind], message }));
  return statusMessage(CODES[kind], message);
}
