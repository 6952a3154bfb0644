import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Logger } from '../base/index.ts';
import { entryCommand } from '../base/node/index.ts';
import { type ClusterConfig, clusterSchema } from './config/index.ts';

/** `starting` until its past was replayed; `failed` when its process ended by itself. */
export type DemoState = 'starting' | 'live' | 'failed';

export interface Demo {
  state(): DemoState;
  stop(): Promise<void>;
}

const events = z.discriminatedUnion('event', [
  z.looseObject({ event: z.literal('listening'), clusters: z.array(clusterSchema), control: z.string() }),
  z.looseObject({ event: z.literal('replayed'), seconds: z.number() }),
  z.looseObject({ event: z.literal('live') }),
  z.looseObject({ event: z.literal('error'), message: z.string() }),
]);

export interface DemoOptions {
  http: string;
  otlpHttp: string;
  fault: string;
  faultStartedMs: number;
  historyMs: number;
  seed: number;
  logger: Logger;
  /** Called once, when the simulated clusters can be connected; in the form of `clusters:` in trifocal.yaml. */
  onClusters(clusters: ClusterConfig[]): void;
}

/** Starts the simulated estate in its own process. It delivers through the doors that users' senders come through. */
export function startDemo(options: DemoOptions): Demo {
  const { logger } = options;
  const args = [
    ...entryCommand({ bundle: 'simulator', source: 'src/simulator/main.ts' }),
    ...['--trifocal', options.http, '--otlp', options.otlpHttp, '--seed', String(options.seed)],
    ...[
      '--history',
      `${options.historyMs}ms`,
      '--fault',
      options.fault,
      '--fault-started',
      `${options.faultStartedMs}ms`,
    ],
  ];
  // Its standard input is a pipe from here: when this process dies, however it dies, the simulator sees the end and leaves.
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let state: DemoState = 'starting';
  let stopping = false;
  const exited = new Promise<void>((resolve) => {
    const end = (what: string) => {
      if (!stopping) {
        state = 'failed';
        logger.error({}, `the demo estate ended: ${what}; everything else goes on`);
      }
      resolve();
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code) => end(`exit code ${code}`));
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = events.safeParse(parseJson(line));
    if (!event.success) return logger.warn({ line: line.slice(0, 500) }, 'the simulator said something unexpected');
    switch (event.data.event) {
      case 'listening':
        options.onClusters(event.data.clusters);
        logger.info({ control: event.data.control }, 'the demo estate is connected');
        break;
      case 'replayed':
        state = 'live';
        logger.info({ seconds: event.data.seconds }, 'the demo estate has a past: its history was replayed');
        break;
      case 'error':
        logger.warn({}, `simulator: ${event.data.message}`);
        break;
      case 'live':
    }
  });
  return {
    state: () => state,
    async stop() {
      stopping = true;
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
