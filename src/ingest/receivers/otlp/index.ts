/** OTLP by gRPC and by HTTP (protobuf and JSON) for traces, metrics and logs. Metrics become Prometheus series here. */

export { startOtlpGrpc } from './grpc.ts';
export { otlpHttp } from './http.ts';
