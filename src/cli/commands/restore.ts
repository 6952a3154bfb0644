import { basename } from 'node:path';
import type { Command } from 'commander';
import { restoreResponse } from '../../api/contract/index.ts';
import { CliError, callApi } from '../client.ts';
import type { Program } from '../program.ts';
import { describeBackup } from './backup.ts';

interface RestoreFlags {
  data?: string;
  server?: string;
  replace?: boolean;
  add?: boolean;
  check?: boolean;
}

/** `trifocal restore FILE`: makes a data folder of a backup, or hands it to a running server. */
export function registerRestore(root: Command, program: Program): void {
  root
    .command('restore')
    .description('restore a backup into a data folder, or into a running server')
    .argument('<file>', 'a backup; with --server the name of one in the server\'s folder "backups"')
    .option('--data <folder>', 'the data folder to make (default: ./data)')
    .option('--replace', 'of a data folder that holds something: keep it under another name beside the new one')
    .option('--server <url>', 'restore into this running server instead')
    .option('--add', 'with --server: add to the data that it holds')
    .option('--check', 'only read the backup and say whether it is whole')
    .action(async (file: string, flags: RestoreFlags) => {
      if (flags.check) return program.stdout(`${file} is whole: ${describeBackup(await program.checkBackup(file))}\n`);
      if (flags.server === undefined) return restoreHere(program, file, flags);
      if (flags.data !== undefined) throw new CliError('--data and --server exclude each other.');
      if (basename(file) !== file) {
        const name = basename(file);
        throw new CliError(
          `${file} is a path; with --server give the name of a backup in the folder "backups" of the server's data folder: copy it there, then restore ${name}.`,
        );
      }
      const body = { backup: file, add: flags.add ?? false };
      const restored = await callApi({ server: flags.server, path: '/api/restores', body, schema: restoreResponse });
      program.stdout(`Restored ${describeBackup(restored)}.\n`);
    });
}

async function restoreHere(program: Program, file: string, flags: RestoreFlags): Promise<void> {
  const data = flags.data ?? './data';
  const { summary, keptAt } = await program.restoreFolder({ file, data, replace: flags.replace ?? false });
  program.stdout(`${data} holds ${describeBackup(summary)}.\n`);
  if (keptAt !== undefined) program.stdout(`What it held before is in ${keptAt}.\n`);
}
