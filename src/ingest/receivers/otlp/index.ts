/** OTLP by gRPC and by HTTP (protobuf and JSON) for traces, metrics and logs. Metrics become Prometheus series here. */

import type { Receiver } from '../../doors/index.ts';
import type { ReceiverOptions } from '../options.ts';
import { createOtlpExporter } from './export.ts';
import { grpcDoors, handleGrpc } from './grpc.ts';
import { handleHttp, otlpHttpDoors } from './http.ts';

/**
 * All of OTLP's doors on one translation: a delta stream may change doors (a load balancer in front, a fallback from
 * gRPC to HTTP) and its running total goes on.
 */
export const otlp: Receiver<ReceiverOptions> = {
  doors: [...otlpHttpDoors, ...grpcDoors],
  open(options) {
    const exporter = createOtlpExporter(options);
    return new Map([...handleHttp(options, exporter), ...handleGrpc(exporter)]);
  },
};
