import { statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { ApiError } from '../errors.ts';
import { pathOf } from '../failure.ts';
import { refuseOtherMethods } from '../server.ts';

/**
 * The web UI: built files with their precompressed forms, and the page itself for every address that a browser
 * navigates to. Files with a hash in their name are cached for good, everything else is asked for again. Files are
 * looked for when they are asked for, so a new build shows without a restart.
 */
export function webRoutes({ folder }: { folder: string }): FastifyPluginAsync {
  return async (app) => {
    await app.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const hasHash = path.includes('/assets/');
        reply.setHeader('cache-control', hasHash ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    app.get('/*', async (request, reply) => {
      const file = builtFile(folder, pathOf(request));
      if (file !== undefined) return reply.sendFile(file);
      if (!isPageAddress(request.url)) {
        refuseOtherMethods(app, request, reply);
        throw new ApiError('not_found', `nothing is served at GET ${pathOf(request)}`);
      }
      if (builtFile(folder, '/index.html') === undefined)
        throw new ApiError('not_found', 'the web UI is not built; run npm run build');
      return reply.sendFile('index.html');
    });
  };
}

/** The path below the folder of a file that is there. */
function builtFile(folder: string, path: string): string | undefined {
  try {
    // An absolute path cannot climb out of its root.
    const below = normalize(`/${decodeURIComponent(path)}`).slice(1);
    return statSync(join(folder, below), { throwIfNoEntry: false })?.isFile() ? below : undefined;
  } catch {
    return undefined; // no path at all
  }
}

/** Addresses under these belong to APIs: an unknown one is an error, not the page. */
const API_PREFIXES = ['/api/', '/prometheus/', '/loki/', '/tempo/', '/alertmanager/', '/v1/', '/assets/'];

function isPageAddress(url: string): boolean {
  const path = url.split('?', 1)[0] ?? '';
  // Pages have no dots but inside references: `/openapi.json` or `/../etc/passwd` is nobody's page.
  const isFile = /\.\.|\.(?:json|js|css|map|html|txt|ico|png|svg)$/i.test(path);
  return !isFile && !API_PREFIXES.some((prefix) => `${path}/`.startsWith(prefix));
}
