import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** Refuses what a page of another site could send without a preflight. */
export function requireJson(request: FastifyRequest): void {
  if (/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return;
  throw new ApiError('unsupported_media_type', 'send the request as application/json');
}
