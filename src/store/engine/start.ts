import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Backoff, backoffDelay, type Clock, type Logger } from '../../base/index.ts';
import { entryCommand } from '../../base/node/index.ts';
import type { Endpoint } from '../clickhouse/client.ts';
import { StoreError } from '../clickhouse/port.ts';
import { type EngineReady, type EngineSettings, parseEngineReady } from './handshake.ts';

/** The embedded engine, kept running. */
export interface EngineProcess {
  /** Where it answers now; undefined while it is down. */
  endpoint(): Endpoint | undefined;
  /** Of the running child; undefined while it is down. */
  pid(): number | undefined;
  onStateChange(listener: (up: boolean) => void): () => void;
  /** Stops it with everything flushed. */
  close(): Promise<void>;
}

export interface EngineOptions {
  folder: string;
  memoryBytes: number;
  database: string;
  clock: Clock;
  logger: Logger;
}

const READERS = 4;
const RESTART: Backoff = { firstMs: 100, maxMs: 2_000, factor: 2 };
/** A child of a parent that was killed just now may still hold the folder. */
const FIRST_START_TRIES = 8;
const LONG_ENOUGH_TO_BE_HEALTHY_MS = 10_000;
/** Loading the metadata of a full data folder takes seconds, on a busy machine a minute. */
const START_TIMEOUT_MS = 120_000;
/** What was inserted is synced, so a kill loses nothing; with the spool's own time it fits into what stopping may take. */
const CLOSE_TIMEOUT_MS = 4_000;

/** Starts the engine and resolves when it answers. From then on a child that dies is started again until `close`. */
export async function startEngine(options: EngineOptions): Promise<EngineProcess> {
  const { clock, logger } = options;
  await mkdir(options.folder, { recursive: true });
  const settings: EngineSettings = {
    folder: options.folder,
    memoryBytes: options.memoryBytes,
    database: options.database,
    key: randomBytes(24).toString('base64url'),
    readers: READERS,
  };
  const listeners = new Set<(up: boolean) => void>();
  const closing = new AbortController();
  let running: RunningChild | undefined;

  const announce = (child: RunningChild | undefined) => {
    running = child;
    for (const listener of listeners) listener(child !== undefined);
  };
  const startWithRetries = async (tries: number): Promise<RunningChild> => {
    for (let failures = 1; ; failures++) {
      try {
        return await startChild(settings, logger);
      } catch (error) {
        if (failures >= tries || closing.signal.aborted) throw error;
        logger.warn({ error: String(error) }, 'the storage engine did not start, trying again');
        await clock.sleep(backoffDelay(RESTART, failures, Math.random()), closing.signal);
      }
    }
  };
  const keepRunning = async (first: RunningChild) => {
    let child = first;
    for (let shortLives = 0; ; ) {
      const startedAt = clock.monotonic();
      const how = await child.ended;
      announce(undefined);
      if (closing.signal.aborted) return;
      shortLives = clock.monotonic() - startedAt > LONG_ENOUGH_TO_BE_HEALTHY_MS ? 1 : shortLives + 1;
      logger.error({ how }, 'the storage engine ended unexpectedly, starting it again');
      await clock.sleep(backoffDelay(RESTART, shortLives, Math.random()), closing.signal);
      child = await startWithRetries(Number.POSITIVE_INFINITY);
      if (!closing.signal.aborted) announce(child);
      else child.process.stdin?.end();
    }
  };

  running = await startWithRetries(FIRST_START_TRIES);
  const supervision = keepRunning(running).catch((error) => {
    if (!closing.signal.aborted) logger.error({ error: String(error) }, 'the storage engine is no longer supervised');
  });

  return {
    endpoint: () => running?.endpoint,
    pid: () => running?.process.pid,
    onStateChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      closing.abort();
      const child = running;
      if (child) await stopChild(child, logger);
      await supervision;
    },
  };
}

interface RunningChild {
  process: ChildProcess;
  endpoint: Endpoint;
  /** Resolves with how it ended. */
  ended: Promise<string>;
}

async function startChild(settings: EngineSettings, logger: Logger): Promise<RunningChild> {
  const child = spawn(
    process.execPath,
    entryCommand({ bundle: 'engine', source: 'src/store/engine/child.ts' }),
    // Every running query and every chunk of a stream takes a thread of libuv's pool, which has four by default.
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, UV_THREADPOOL_SIZE: String(2 * READERS + 8) } },
  );
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  child.stdin.on('error', () => {}); // it ended before it read; `ended` tells
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  let lastWords = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastWords = line;
    logger.debug({ line }, 'storage engine');
  });
  const answer = new Promise<EngineReady>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const parsed = parseEngineReady(line);
      if (parsed) resolve(parsed);
      else logger.debug({ line }, 'storage engine');
    });
  });
  const ready = await within(START_TIMEOUT_MS, Promise.race([answer, ended]));
  if (ready === undefined) {
    child.kill('SIGKILL');
    const message = `the storage engine did not open ${settings.folder} within ${START_TIMEOUT_MS / 1000} s: ${lastWords}`;
    throw new StoreError('down', message);
  }
  if (typeof ready === 'string') throw new StoreError('down', `the storage engine ended with ${ready}: ${lastWords}`);
  if ('error' in ready)
    throw new StoreError('down', `the storage engine could not open ${settings.folder}: ${ready.error}`);
  logger.info({ version: ready.version, pid: child.pid }, 'storage engine started');
  const endpoint = {
    url: `http://127.0.0.1:${ready.port}`,
    user: 'trifocal',
    password: settings.key,
    database: settings.database,
    embedded: true,
  };
  return { process: child, endpoint, ended };
}

/** Resolves with undefined when the work takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function stopChild(child: RunningChild, logger: Logger): Promise<void> {
  child.process.stdin?.end();
  const timer = setTimeout(() => {
    logger.warn({}, 'the storage engine did not close in time and was killed');
    child.process.kill('SIGKILL');
  }, CLOSE_TIMEOUT_MS);
  await child.ended;
  clearTimeout(timer);
}
