/** Trifocal's HTTP doors: the server with its checks, the routes of its own API and of the compatible ones, error codes. */
export { ApiError, ERROR_CODES } from './errors.ts';
export { createHttpServer } from './server.ts';
