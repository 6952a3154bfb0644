import {
  type ContentType,
  type Door,
  type DoorAnswer,
  type DoorHandler,
  type Failure,
  parseContentType,
} from '../../doors/index.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { decompress, RefusedRequest } from '../wire/index.ts';
import { exportResponse, statusMessage } from './answers.ts';
import { type ExportResult, ITEMS, type OtlpEncoding, type OtlpExporter, type OtlpSignal, SIGNALS } from './export.ts';

const REJECTED_FIELD = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' } as const;

/** `POST /v1/traces`, `/v1/metrics`, `/v1/logs`. */
export const otlpHttpDoors: readonly Door[] = SIGNALS.map((signal) => ({
  name: doorName(signal),
  transport: 'http',
  path: `/v1/${signal}`,
  protocol: 'otlp',
  signal: ITEMS[signal],
  fail: (failure, type) => statusAnswer(encodingOf(type) ?? 'json', failure),
}));

function doorName(signal: OtlpSignal): string {
  return `otlp-http/${signal}`;
}

/**
 * Protobuf and JSON. Answers in the request's encoding: 200 with `partial_success` where items were refused, else
 * `google.rpc.Status` with 400, 413, 415, 429 or 503 and Retry-After.
 */
export function handleHttp(options: ReceiverOptions, exporter: OtlpExporter): [string, DoorHandler][] {
  const { limits = defaultBodyLimits } = options;
  return SIGNALS.map((signal) => [
    doorName(signal),
    async (request) => {
      const { body, headers } = request;
      const type = parseContentType(headers['content-type']);
      const encoding = encodingOf(type);
      if (encoding === undefined) {
        throw new RefusedRequest(
          415,
          `content type "${type.type}" is not OTLP: send application/x-protobuf or application/json`,
        );
      }
      const content = await decompress(body, headers['content-encoding'], limits.maxBodyBytes);
      const result = await exporter.export(signal, encoding, content, request);
      if (result.unusable) return statusAnswer(encoding, { kind: 'malformed', status: 400, message: result.message });
      return { status: 200, headers: mediaType(encoding), body: answerBody(signal, encoding, result) };
    },
  ]);
}

function encodingOf({ type }: ContentType): OtlpEncoding | undefined {
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}

function mediaType(encoding: OtlpEncoding): Record<string, string> {
  return { 'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf' };
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
  incomplete: 1,
  'too-large': 8,
  limited: 8,
  busy: 14,
  unexpected: 13,
};

function statusAnswer(encoding: OtlpEncoding, { kind, status, message }: Failure): DoorAnswer {
  const code = CODES[kind];
  const body = encoding === 'json' ? Buffer.from(JSON.stringify({ code, message })) : statusMessage(code, message);
  return { status, headers: mediaType(encoding), body };
}
