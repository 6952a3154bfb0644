import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/index.ts';
import { createLogger, projectRoot } from '../base/node/index.ts';
import { CliError, runCli } from '../cli/index.ts';
import { redactText } from '../ingest/index.ts';
import { BackupError, checkBackup, restoreFolder } from './backup/index.ts';
import { checkConfigFile } from './config/index.ts';
import { runServer } from './run.ts';

/** The program `trifocal`: the server and every other command. */
const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }; // our own file

process.exitCode = await runCli(process.argv.slice(2), {
  version,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  start: (flags) => runServer(flags, version),
  checkFile: checkConfigFile,
  checkBackup: (file) => asCliError(checkBackup(file, version)),
  restoreFolder: async (options) => {
    const logger = createLogger({ level: 'warn', format: 'text', redact: redactText });
    const { manifest, ...rest } = await asCliError(restoreFolder({ ...options, version, clock: systemClock, logger }));
    return { summary: manifest, ...rest };
  },
});

async function asCliError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message) : error;
  }
}
