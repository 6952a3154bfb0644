import type { Command } from 'commander';
import { CliError } from '../client.ts';
import type { Program } from '../program.ts';

/** `trifocal check FILE…`: says every error of configuration files with file, line and column. */
export function registerCheck(root: Command, program: Program): void {
  root
    .command('check')
    .description('check configuration files')
    .argument('<files...>')
    .action((files: string[]) => {
      const problems = files.flatMap((file) => program.checkFile(file));
      for (const { file, line, column, message } of problems) {
        program.stdout(`${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}\n`);
      }
      if (problems.length > 0)
        throw new CliError(`${problems.length} problem${problems.length === 1 ? '' : 's'} found.`);
      program.stdout(`${files.length} file${files.length === 1 ? '' : 's'} checked, no problems.\n`);
    });
}
