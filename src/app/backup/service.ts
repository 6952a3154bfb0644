import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RestoreResponse } from '../../api/contract/index.ts';
import { ApiError } from '../../api/index.ts';
import { type Clock, deadline } from '../../base/index.ts';
import { newestTelemetrySchema, type Records, type Store } from '../../store/index.ts';
import { createBackup, removeUnfinishedBackups } from './create.ts';
import { BackupError } from './manifest.ts';
import { restoreInto } from './restore.ts';

/** With a store that keeps up, what waits in the spool is a second old. */
const FLUSH_MS = 60_000;

export interface BackupService {
  create(): Promise<{ bytes: number; content: AsyncIterable<Uint8Array>; release(): Promise<void> }>;
  restore(request: { backup: string; add: boolean }): Promise<RestoreResponse>;
}

/** Backups of this running server, for the API. What an earlier process left half-made is removed first. */
export async function openBackupService(options: {
  store: Pick<Store, 'backup' | 'isUp'>;
  records: Pick<Records<never>, 'schema' | 'dump' | 'restore'>;
  spool: { flush(signal?: AbortSignal): Promise<void> };
  dataFolder: string;
  version: string;
  clock: Clock;
}): Promise<BackupService> {
  const { store, records, spool, version, clock } = options;
  const folder = join(options.dataFolder, 'backups');
  await removeUnfinishedBackups(folder);
  const engine = () => {
    if (!store.backup) {
      throw new ApiError(
        'bad_request',
        "telemetry is on a ClickHouse server of yours: back it up with that server's BACKUP DATABASE",
      );
    }
    if (!store.isUp()) throw new ApiError('store_unavailable', 'the store is down; a backup needs it');
    return store.backup;
  };
  return {
    async create() {
      const flush = () =>
        spool.flush(deadline(FLUSH_MS)).catch((error) => {
          const words = `what is acknowledged did not reach the store within ${FLUSH_MS / 1000} s`;
          throw new ApiError('store_unavailable', `${words}; try again when the spool is empty`, { cause: error });
        });
      const { manifest, content, release } = await createBackup({
        store: engine(),
        records,
        flush,
        folder,
        version,
        clock,
      });
      return { bytes: manifest.bytes, content, release };
    },
    async restore({ backup, add }) {
      const file = join(folder, backup);
      if (!existsSync(file)) throw new ApiError('not_found', `there is no ${file}; copy the backup there first`);
      try {
        const schema = newestTelemetrySchema;
        const {
          createdAt,
          version: by,
          tables,
        } = await restoreInto({ file, add, store: engine(), records, schema, version });
        return { createdAt, version: by, tables };
      } catch (error) {
        if (error instanceof BackupError) throw new ApiError('bad_request', error.message, { cause: error });
        throw error;
      }
    },
  };
}
