import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../base/node/index.ts';
import { runCli } from '../cli/index.ts';
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
});
