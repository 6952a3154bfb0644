import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { ApiError } from '../errors.ts';

/**
 * The web UI: built files with their precompressed forms, and the page itself for every address that a browser
 * navigates to. Files with a hash in their name are cached for good, everything else is asked for again.
 */
export function webRoutes(options: { folder: string }): FastifyPluginAsync {
  return async (app) => {
    if (!existsSync(join(options.folder, 'index.html'))) {
      app.get('/', async () => {
        throw new ApiError('not_found', 'the web UI is not built; run npm run build');
      });
      return;
    }
    await app.register(fastifyStatic, {
      root: options.folder,
      wildcard: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const hasHash = path.includes('/assets/');
        reply.setHeader('cache-control', hasHash ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    app.get('/*', async (request, reply) => {
      if (!isPageAddress(request.url))
        throw new ApiError('not_found', `nothing is served at GET ${request.url.split('?', 1)[0]}`);
      return reply.sendFile('index.html');
    });
  };
}

/** Addresses under these belong to APIs: an unknown one is an error, not the page. */
const API_PREFIXES = ['/api/', '/prometheus/', '/loki/', '/tempo/', '/alertmanager/', '/v1/', '/assets/'];

function isPageAddress(url: string): boolean {
  return !API_PREFIXES.some((prefix) => url.startsWith(prefix));
}
