import { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import { type RestoreResponse, restoreRequest } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { requireJson } from './json-only.ts';

export interface BackupRoutesOptions {
  /** Takes a backup of everything acknowledged until now. Throws ApiError for what a user can mend. */
  create(): Promise<{ bytes: number; content: AsyncIterable<Uint8Array>; release(): Promise<void> }>;
  /** Adds a backup from the server's backups folder. Throws ApiError for what a user can mend. */
  restore(request: { backup: string; add: boolean }): Promise<RestoreResponse>;
}

/** `POST /api/backups` streams a backup; `POST /api/restores` takes one in. One of them at a time. */
export function backupRoutes(options: BackupRoutesOptions): FastifyPluginAsync {
  let running = false;
  const begin = () => {
    if (running) throw new ApiError('busy', 'a backup or restore is running; only one does at a time');
    running = true;
  };
  return async (app) => {
    app.post('/api/backups', async (request, reply) => {
      requireJson(request);
      begin();
      const backup = await options.create().catch((error) => {
        running = false;
        throw error;
      });
      // Also when the client leaves before the first byte, or in the middle.
      reply.raw.once('close', () => {
        void backup.release().finally(() => {
          running = false;
        });
      });
      return reply
        .header('content-type', 'application/x-tar')
        .header('x-trifocal-backup-bytes', String(backup.bytes))
        .send(Readable.from(backup.content, { objectMode: false, highWaterMark: 1024 * 1024 }));
    });
    app.post('/api/restores', async (request): Promise<RestoreResponse> => {
      requireJson(request);
      const asked = restoreRequest.parse(request.body);
      begin();
      try {
        return await options.restore(asked);
      } finally {
        running = false;
      }
    });
  };
}
