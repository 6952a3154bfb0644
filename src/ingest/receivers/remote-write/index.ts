/** Prometheus remote write 1.0. */

import type { FastifyPluginAsync } from 'fastify';
import type { ReceiverOptions } from '../options.ts';

/** `POST /prometheus/api/v1/write`. */
export function remoteWrite(_options: ReceiverOptions): FastifyPluginAsync {
  return async () => {};
}
