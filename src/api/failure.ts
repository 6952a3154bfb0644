import type { FastifyRequest } from 'fastify';

/** What the log says of an error that nobody expected. */
export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The path without its query, which may hold what should not be logged. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
