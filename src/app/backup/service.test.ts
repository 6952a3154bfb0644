import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { openBackupService } from './service.ts';

test('what a killed server left in the making goes at the next start, backups stay', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'trifocal-backups-'));
  const never = () => Promise.reject(new Error('not asked here'));
  const open = () =>
    openBackupService({
      store: { isUp: () => true, backup: undefined },
      records: { schema: never, dump: () => neverAny(), restore: never },
      spool: { flush: never },
      dataFolder,
      version: '0.1.0',
      clock: systemClock,
    });
  await open();
  expect(readdirSync(dataFolder)).toEqual([]);
  mkdirSync(join(dataFolder, 'backups/backup1.making'), { recursive: true });
  writeFileSync(join(dataFolder, 'backups/backup1.making/records.jsonl'), 'x');
  writeFileSync(join(dataFolder, 'backups/nightly.tar'), 'x');
  await open();
  expect(readdirSync(join(dataFolder, 'backups'))).toEqual(['nightly.tar']);
  rmSync(dataFolder, { recursive: true });
});

async function* neverAny(): AsyncGenerator<never> {}
