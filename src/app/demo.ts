import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Logger } from '../base/index.ts';
import { entryCommand } from '../base/node/index.ts';
import { type ClusterConfig, clusterSchema } from './config/index.ts';

export interface Demo {
  /** The simulated clusters, in the form of `clusters:` in trifocal.yaml. */
  clusters: ClusterConfig[];
  /** Where the simulator's faults can be switched. */
  controlUrl: string;
  /** Resolves when the history was replayed. */
  replayed: Promise<void>;
  stop(): Promise<void>;
}

const events = z.discriminatedUnion('event', [
  z.looseObject({ event: z.literal('listening'), clusters: z.array(clusterSchema), control: z.string() }),
  z.looseObject({ event: z.literal('replayed'), seconds: z.number() }),
  z.looseObject({ event: z.literal('live') }),
  z.looseObject({ event: z.literal('error'), message: z.string() }),
]);

/** Starts the simulated estate in its own process. It delivers through the doors that users' senders come through. */
export async function startDemo(options: {
  http: string;
  otlpHttp: string;
  fault: string;
  faultStartedMs: number;
  historyMs: number;
  seed: number;
  logger: Logger;
}): Promise<Demo> {
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
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let stopping = false;
  const replayed = withResolvers<void>();
  replayed.promise.catch(() => {}); // nobody may be waiting for it
  const listening = new Promise<{ clusters: ClusterConfig[]; control: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const error = new Error(`the simulator ended with exit code ${code}`);
      if (!stopping) logger.error({}, error.message);
      reject(error);
      replayed.reject(error);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = events.safeParse(parseJson(line));
      if (!event.success) return logger.warn({ line: line.slice(0, 500) }, 'the simulator said something unexpected');
      if (event.data.event === 'listening') resolve(event.data);
      if (event.data.event === 'replayed') {
        logger.info({ seconds: event.data.seconds }, 'the demo estate has a past: its history was replayed');
        replayed.resolve();
      }
      if (event.data.event === 'error') logger.warn({}, `simulator: ${event.data.message}`);
    });
  });
  const { clusters, control } = await listening;
  return {
    clusters,
    controlUrl: control,
    replayed: replayed.promise,
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

/** What `Promise.withResolvers` does from Node 22 on. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
