import type { Command } from 'commander';
import type { Program, StartFlags } from '../program.ts';

/** `trifocal up` and `trifocal demo`: run the server here, alone or with the simulated estate. */
export function registerUp(root: Command, program: Program): void {
  startOptions(root.command('up').description('run the server'))
    .option('--demo', 'also run the simulated demo estate')
    .action((flags: StartFlags) => program.start(flags));
  startOptions(root.command('demo').description('run the server with the simulated demo estate')).action(
    (flags: StartFlags) => program.start({ ...flags, demo: true }),
  );
}

function startOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration (default: trifocal.yaml, if there is one)')
    .option('--data <folder>', 'where everything is kept (default: ./data)')
    .option('--http <host:port>', 'UI and APIs (default: 127.0.0.1:4319; port 0: any free one)')
    .option('--otlp-http <host:port>', 'OTLP over HTTP (default: 127.0.0.1:4318)')
    .option('--otlp-grpc <host:port>', 'OTLP over gRPC (default: 127.0.0.1:4317)')
    .option('--fault <name>', 'fault of the demo estate: gpu-thermal-throttle or none');
}
