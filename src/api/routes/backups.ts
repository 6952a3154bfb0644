import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { type RestoreResponse, restoreRequest } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { requireJson } from './json-only.ts';

export interface BackupRoutesOptions {
  /** Takes a backup of everything acknowledged until now. Throws ApiError for what a user can mend. */
  create(): Promise<{ bytes: number; content: AsyncIterable<Uint8Array>; release(): Promise<void> }>;
  /** Adds a backup from the server's backups folder. Throws ApiError for what a user can mend. */
  restore(request: { backup: string; add: boolean }): Promise<RestoreResponse>;
}

/**
 * `POST /api/backups` streams a backup; `POST /api/restores` takes one in. One of them at a time, and only for who may see
 * everything.
 */
export function backupRoutes(options: BackupRoutesOptions): FastifyPluginAsync {
  let running = false;
  const begin = () => {
    if (running) throw new ApiError('busy', 'a backup or restore is running; only one does at a time');
    running = true;
  };
  const end = () => {
    running = false;
  };
  return async (app) => {
    app.post('/api/backups', async (request, reply) => {
      requireJson(request);
      requireEverything(request);
      // Listened for from the beginning: the client may leave before there is a backup, or in the middle of it.
      const closed = new Promise<void>((resolve) => reply.raw.once('close', resolve));
      begin();
      const backup = await options.create().catch((error) => {
        end();
        throw error;
      });
      void closed
        .then(backup.release)
        .catch((error) => request.log.error({ error }, 'what a backup froze could not be let go of'))
        .finally(end);
      if (reply.raw.destroyed) return reply.hijack();
      return reply
        .header('content-type', 'application/x-tar')
        .header('x-trifocal-backup-bytes', String(backup.bytes))
        .send(Readable.from(backup.content, { objectMode: false, highWaterMark: 1024 * 1024 }));
    });
    app.post('/api/restores', async (request): Promise<RestoreResponse> => {
      requireJson(request);
      requireEverything(request);
      const asked = restoreRequest.parse(request.body);
      begin();
      try {
        return await options.restore(asked);
      } finally {
        end();
      }
    });
  };
}

function requireEverything({ scope }: FastifyRequest): void {
  if (scope.kind === 'everything') return;
  throw new ApiError('forbidden', 'backups and restores concern all clusters; yours are only some');
}
