/** Loki's push API in JSON and in snappy-compressed protobuf. */

import type { FastifyPluginAsync } from 'fastify';
import type { ReceiverOptions } from '../options.ts';

/** `POST /loki/api/v1/push`. */
export function lokiPush(_options: ReceiverOptions): FastifyPluginAsync {
  return async () => {};
}
