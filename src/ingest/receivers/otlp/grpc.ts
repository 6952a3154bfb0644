import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type StatusObject,
  type sendUnaryData,
  setLogger,
  status,
} from '@grpc/grpc-js';
import { BackPressureError } from '../../sink.ts';
import { defaultBodyLimits, type ReceiverOptions } from '../options.ts';
import { DecodeError } from '../wire/index.ts';
import { exportResponse, statusMessage } from './answers.ts';
import type { OtlpExporter, OtlpSignal } from './export.ts';

export interface OtlpGrpc {
  /** The port it listens on, also when the address asked for any (`127.0.0.1:0`). */
  port: number;
  /** Lets running calls finish for up to five seconds. */
  close(): Promise<void>;
}

const SERVICES: Record<OtlpSignal, string> = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
};
const CLOSE_MS = 5000;

/**
 * Trace, metrics and logs service on `host:port`, without TLS. Bad data is INVALID_ARGUMENT, a busy store UNAVAILABLE
 * with RetryInfo, a message over the limit RESOURCE_EXHAUSTED. Rejects when the address cannot be bound.
 */
export async function startOtlpGrpc(
  address: string,
  options: ReceiverOptions,
  exporter: OtlpExporter,
): Promise<OtlpGrpc> {
  const { logger, limits = defaultBodyLimits } = options;
  setLogger(quietConsole((text) => logger.debug({ library: 'grpc-js' }, text)));
  const server = new Server({ 'grpc.max_receive_message_length': limits.maxBodyBytes });

  for (const signal of ['traces', 'metrics', 'logs'] as const) {
    server.addService(serviceOf(signal), {
      Export(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        exporter.export(signal, 'protobuf', call.request, call.request.length).then(
          (result) => {
            if (result.unusable) answer({ code: status.INVALID_ARGUMENT, details: result.message });
            else answer(null, exportResponse(result));
          },
          (error: unknown) => {
            if (error instanceof DecodeError) exporter.drop(signal, 'unreadable', error.message);
            else if (!(error instanceof BackPressureError)) {
              logger.error(
                { signal, error: error instanceof Error ? error.stack : String(error) },
                'an OTLP call failed unexpectedly',
              );
            }
            answer(toStatus(error));
          },
        );
      },
    });
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: () => close(server) };
}

/** The library writes to the console by itself; what matters of it reaches callers as errors. */
function quietConsole(log: (text: string) => void): Partial<Console> {
  const write = (...parts: unknown[]) => log(parts.map(String).join(' '));
  return { error: write, info: write, debug: write };
}

/** Bytes in, bytes out: decoding is ours, so that both transports have one decoder. */
function serviceOf(signal: OtlpSignal): ServiceDefinition {
  const same = (bytes: Buffer) => bytes;
  return {
    Export: {
      path: `/${SERVICES[signal]}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  };
}

function toStatus(error: unknown): Partial<StatusObject> {
  if (error instanceof BackPressureError) {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', statusMessage(status.UNAVAILABLE, error.message, error.retryAfterSeconds));
    return { code: status.UNAVAILABLE, details: error.message, metadata };
  }
  if (error instanceof DecodeError) return { code: status.INVALID_ARGUMENT, details: error.message };
  return { code: status.INTERNAL, details: 'unexpected error; the log has the details' };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), CLOSE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
