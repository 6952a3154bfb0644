import { createWriteStream, existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Command } from 'commander';
import { syncFolder } from '../../base/node/index.ts';
import { CliError, errorText, jsonPost, request, withServer } from '../client.ts';
import { formatBytes } from '../format.ts';
import type { BackupSummary, Program } from '../program.ts';
import { progressLine } from '../progress.ts';

/** `trifocal backup TARGET`: everything a running server holds, as one file. */
export function registerBackup(root: Command, program: Program): void {
  withServer(root.command('backup').description('back up a running server to a file'))
    .argument('<target>', 'the file to write, or a folder to write it into under the name of the moment')
    .action(async (target: string, { server }: { server: string }) => {
      const file = fileOf(target);
      if (existsSync(file)) throw new CliError(`${file} is there already; give another name.`);
      const partial = `${file}.partial`;
      try {
        await download(server, partial, program);
        const summary = await program.checkBackup(partial);
        await rename(partial, file);
        await syncFolder(dirname(file));
        program.stdout(`${file}: ${describeBackup(summary)}\n`);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    });
}

/** `12.0 MB of 3 tables, …`: what a backup holds, in words. */
export function describeBackup({ createdAt, tables }: BackupSummary): string {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const rows = tables.filter((table) => table.rows > 0).map(({ name, rows }) => `${rows} ${name}`);
  return `${formatBytes(bytes)} of ${createdAt}${rows.length > 0 ? ` (${rows.join(', ')})` : ', without telemetry'}`;
}

function fileOf(target: string): string {
  if (!existsSync(target) || !statSync(target).isDirectory()) return target;
  return join(target, `trifocal-${new Date().toISOString().replace(/[:.]/g, '-')}.tar`);
}

async function download(server: string, partial: string, program: Program): Promise<void> {
  const response = await request(new URL('/api/backups', server), jsonPost({}));
  if (!response.ok || !response.body) throw new CliError(errorText(await response.text(), response.status));
  const total = Number(response.headers.get('x-trifocal-backup-bytes') ?? 0);
  const progress = progressLine(program.stderr);
  let bytes = 0;
  const count = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      progress.show(() => `${formatBytes(bytes)} of ${formatBytes(total)}`);
      done(null, piece);
    },
  });
  try {
    const body = response.body as WebStream; // fetch's own; the two declarations of one class differ in a detail
    await pipeline(Readable.fromWeb(body), count, createWriteStream(partial));
  } catch (error) {
    throw new CliError(`The backup broke off after ${formatBytes(bytes)} (${reasonOf(error)}); nothing of it is kept.`);
  } finally {
    progress.clear();
  }
  const file = await open(partial, 'r+');
  await file.sync().finally(() => file.close());
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
