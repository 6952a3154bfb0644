import { status } from '@grpc/grpc-js';
import type { Door, DoorAnswer, DoorHandler, Failure } from '../../doors/index.ts';
import { exportResponse, statusMessage } from './answers.ts';
import { ITEMS, type OtlpExporter, type OtlpSignal, SIGNALS } from './export.ts';

const SERVICES: Record<OtlpSignal, string> = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
};

/** Trace, metrics and logs service. */
export const grpcDoors: readonly Door[] = SIGNALS.map((signal) => ({
  name: doorName(signal),
  transport: 'grpc',
  path: `/${SERVICES[signal]}/Export`,
  protocol: 'otlp',
  signal: ITEMS[signal],
  fail: statusAnswer,
}));

function doorName(signal: OtlpSignal): string {
  return `otlp-grpc/${signal}`;
}

/**
 * Bad data is INVALID_ARGUMENT, a busy store UNAVAILABLE and a sender over its rate RESOURCE_EXHAUSTED, both with
 * RetryInfo; a message over the limit is RESOURCE_EXHAUSTED without, so that nobody sends it again.
 */
export function handleGrpc(exporter: OtlpExporter): [string, DoorHandler][] {
  return SIGNALS.map((signal) => [
    doorName(signal),
    async (request) => {
      const result = await exporter.export(signal, 'protobuf', request.body, request);
      if (result.unusable) return statusAnswer({ kind: 'malformed', status: 400, message: result.message });
      return { status: status.OK, headers: {}, body: exportResponse(result) };
    },
  ]);
}

const CODES: Record<Failure['kind'], number> = {
  malformed: status.INVALID_ARGUMENT,
  unsupported: status.INVALID_ARGUMENT,
  incomplete: status.CANCELLED,
  'too-large': status.RESOURCE_EXHAUSTED,
  limited: status.RESOURCE_EXHAUSTED,
  busy: status.UNAVAILABLE,
  unexpected: status.INTERNAL,
};

function statusAnswer({ kind, message, retryAfterSeconds }: Failure): DoorAnswer {
  const code = CODES[kind];
  const headers: Record<string, string> = { 'grpc-message': message };
  if (retryAfterSeconds !== undefined) {
    headers['grpc-status-details-bin'] = statusMessage(code, message, retryAfterSeconds).toString('base64');
  }
  return { status: code, headers, body: new Uint8Array(0) };
}
