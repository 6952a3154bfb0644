/** Backups of a running server, and making a data folder of one. The file's form is described in docs/backup.md. */

export { BackupError, type Manifest } from './manifest.ts';
export { checkBackup } from './read.ts';
export { type Restored, restoreFolder } from './restore.ts';
export { openBackupService } from './service.ts';
