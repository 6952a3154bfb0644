import type { FastifyInstance } from 'fastify';
import { backupRoutes } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import { openBackupService } from './backup/index.ts';
import type { Parts } from './parts.ts';

/** Registers what operates the server rather than asks it: backups and restores. */
export async function registerOperations(
  app: FastifyInstance,
  options: { parts: Parts; dataFolder: string; version: string; clock: Clock },
): Promise<void> {
  const { parts, ...rest } = options;
  await app.register(backupRoutes(await openBackupService({ ...parts, ...rest })));
}
