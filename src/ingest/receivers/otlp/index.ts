/** OTLP by gRPC and by HTTP (protobuf and JSON) for traces, metrics and logs. Metrics become Prometheus series here. */

import type { FastifyPluginAsync } from 'fastify';
import type { ReceiverOptions } from '../options.ts';
import { createOtlpExporter } from './export.ts';
import { type OtlpGrpc, startOtlpGrpc } from './grpc.ts';
import { otlpHttp } from './http.ts';

export interface Otlp {
  /** Register it on as many servers as wanted, under any prefix. */
  http: FastifyPluginAsync;
  /** Listens on `host:port`. Rejects when that cannot be bound. */
  startGrpc(address: string): Promise<OtlpGrpc>;
}

/**
 * All of OTLP's doors on one translation: a delta stream may change doors (a load balancer in front, a fallback from
 * gRPC to HTTP) and its running total goes on.
 */
export function createOtlp(options: ReceiverOptions): Otlp {
  const exporter = createOtlpExporter(options);
  return {
    http: otlpHttp(options, exporter),
    startGrpc: (address) => startOtlpGrpc(address, options, exporter),
  };
}
