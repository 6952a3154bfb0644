import { Command } from 'commander';
import { CliError } from './client.ts';
import { registerBackup } from './commands/backup.ts';
import { registerCheck } from './commands/check.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerImport } from './commands/import.ts';
import { registerInvestigate } from './commands/investigate.ts';
import { registerLogs } from './commands/logs.ts';
import { registerQuery } from './commands/query.ts';
import { registerRestore } from './commands/restore.ts';
import { registerTraces } from './commands/traces.ts';
import { registerUp } from './commands/up.ts';
import type { Program } from './program.ts';

export { CliError } from './client.ts';
export type { BackupSummary, Problem, Program, StartFlags } from './program.ts';

const COMMANDS = [
  registerUp,
  registerInvestigate,
  registerQuery,
  registerLogs,
  registerTraces,
  registerCheck,
  registerBackup,
  registerRestore,
  registerImport,
  registerDoctor,
];

/**
 * The `trifocal` command. It speaks HTTP to a running server like any client; what runs in this very process
 * (starting the server, reading configuration files) is handed in. Returns the exit code.
 */
export async function runCli(argv: readonly string[], program: Program): Promise<number> {
  const root = new Command('trifocal')
    .description('Metrics, logs and traces of your AI infrastructure through one lens, and an answer to "why".')
    .version(program.version)
    .configureHelp({ sortSubcommands: true })
    .exitOverride();
  for (const register of COMMANDS) register(root, program);
  try {
    await root.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CliError) {
      program.stderr(`${error.message}\n`);
      return 1;
    }
    if (error instanceof Error && 'exitCode' in error) return Number(error.exitCode); // commander has printed its message
    throw error;
  }
}
