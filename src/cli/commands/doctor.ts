import type { Command } from 'commander';
import { CliError, withServer } from '../client.ts';
import { collectFacts } from '../doctor/facts.ts';
import { type Finding, judge } from '../doctor/judge.ts';
import type { Program } from '../program.ts';

/** `trifocal doctor`: says in words what is wrong with a server and its data folder, and what to do. */
export function registerDoctor(root: Command, program: Program): void {
  withServer(root.command('doctor').description('say what is wrong with the server and its data folder'))
    .option('--data <folder>', 'the data folder, where it is on this machine', './data')
    .action(async ({ server, data }: { server: string; data: string }) => {
      const findings = judge(await collectFacts({ server, data, version: program.version }));
      for (const finding of findings) program.stdout(`${lineOf(finding)}\n`);
      const problems = findings.filter(({ state }) => state === 'problem').length;
      if (problems > 0) throw new CliError(`${problems} problem${problems === 1 ? '' : 's'} found.`);
    });
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: '✓', warning: '!', problem: '✗' };

function lineOf({ state, words, fix }: Finding): string {
  return `${MARKS[state]} ${words}${fix === undefined ? '' : `\n    ${fix}`}`;
}
