import { drainPending, Session } from 'chdb';
import { createSemaphore } from '../../base/index.ts';
import type { EngineSettings } from './handshake.ts';
import { createEngineSession, type EngineQuery, type EngineSession } from './session.ts';

/** The engine with its sessions: one that changes things, several that read, one that stops others. */
export interface Engine {
  version: string;
  /** Yields the result as it comes. Aborting or leaving the loop stops the query in the engine. */
  run(query: EngineQuery, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Waits for what runs (its clients are gone, so it is being stopped), then closes the data directory. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

export async function openEngine(settings: EngineSettings): Promise<Engine> {
  const sessions: Session[] = [];
  const open = async () => {
    const session = new Session(settings.folder, { connectionArgs: connectionArgs(settings) });
    sessions.push(session);
    await session.queryAsync(`CREATE DATABASE IF NOT EXISTS ${settings.database}`);
    await session.queryAsync(`USE ${settings.database}`);
    // Bound lists of ids are statements of their own here and longer than the default of 256 KiB.
    await session.queryAsync(`SET max_query_size = ${64 * MIB}`);
    return session;
  };
  const control = await open();
  const version = (await control.queryAsync('SELECT version()', { format: 'TSV' })).text().trim();
  const writers = sessionPool([createEngineSession(await open())]);
  const readers = sessionPool(
    await Promise.all(Array.from({ length: settings.readers }, async () => createEngineSession(await open()))),
  );
  const controllers = sessionPool([createEngineSession(control)]);

  /** Until the query has ended, since it may not have begun when the first try came. */
  const stopUntil = async (id: string, ended: Promise<void>) => {
    let running = true;
    ended.then(() => {
      running = false;
    });
    while (running) {
      const kill = { id: '', text: KILL, params: new Map([['id', id]]), settings: new Map(), format: 'Null' };
      for await (const _ of controllers(kill, new AbortController().signal));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  };

  return {
    version,
    async *run(query, signal) {
      const pool = /^\s*KILL\b/i.test(query.text) ? controllers : isReading(query.text) ? readers : writers;
      let markEnded = () => {};
      const ended = new Promise<void>((resolve) => {
        markEnded = resolve;
      });
      const onAbort = () => void stopUntil(query.id, ended);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        yield* pool(query, signal);
      } finally {
        markEnded();
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: async () => {
      await drainPending();
      for (const session of sessions.reverse()) session.close();
    },
  };
}

const KILL = "KILL QUERY WHERE Settings['log_comment'] = {id:String} ASYNC";

/** The defaults would take 0.9 of the machine's memory and caches of 5 GiB each. */
function connectionArgs(settings: EngineSettings): string[] {
  return [
    `--max_server_memory_usage=${settings.memoryBytes}`,
    `--mark_cache_size=${Math.round(settings.memoryBytes / 32)}`,
    `--index_mark_cache_size=${Math.round(settings.memoryBytes / 64)}`,
    '--uncompressed_cache_size=0',
  ];
}

function isReading(text: string): boolean {
  return /^\s*(SELECT|WITH|SHOW|DESCRIBE|EXPLAIN|EXISTS)\b/i.test(text);
}

/** Gives each query a session that is free; the others wait in order. */
function sessionPool(sessions: EngineSession[]): EngineSession['run'] {
  const free = [...sessions];
  const turns = createSemaphore(sessions.length);
  return async function* (query, signal) {
    let release = () => {};
    await new Promise<void>((started, refused) => {
      turns
        .run(() => {
          started();
          return new Promise<void>((done) => {
            release = done;
          });
        }, signal)
        .catch(refused);
    });
    const session = free.pop();
    if (!session) throw new Error('no free session');
    try {
      yield* session.run(query, signal);
    } finally {
      free.push(session);
      release();
    }
  };
}
