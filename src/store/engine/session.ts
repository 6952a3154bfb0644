import type { Session } from 'chdb';

/** A statement as a request of ClickHouse's HTTP interface carries it. */
export interface EngineQuery {
  /** By which it can be stopped; becomes the setting `log_comment`. */
  id: string;
  text: string;
  /** Values as HTTP carries them, escaped as in tab-separated text. */
  params: ReadonlyMap<string, string>;
  settings: ReadonlyMap<string, string>;
  format: string;
}

/** One connection of the engine. Its caller sees to it that only one query runs on it at a time. */
export interface EngineSession {
  run(query: EngineQuery, signal: AbortSignal): AsyncGenerator<Uint8Array>;
}

/**
 * Settings and parameters can't travel with a statement here, they are set on the session before it. So that none of them
 * outlives its query, whatever the previous query set and this one does not goes back to its default first.
 */
export function createEngineSession(session: Session): EngineSession {
  let changed: ReadonlySet<string> = new Set();
  const prepare = async (query: EngineQuery) => {
    const settings = new Map([...query.settings, ['log_comment', query.id]]);
    const assignments = [
      ...[...changed].filter((name) => !settings.has(name)).map((name) => `${name} = DEFAULT`),
      ...[...settings].map(([name, value]) => `${checkName(name)} = ${literal(value)}`),
      ...[...query.params].map(([name, value]) => `param_${checkName(name)} = ${literal(value)}`),
    ];
    changed = new Set([...changed, ...settings.keys()]);
    await session.queryAsync(`SET ${assignments.join(', ')}`);
    changed = new Set(settings.keys());
  };
  /** A session keeps a query that failed, with its memory and its place among the processes, until it runs the next. */
  const letGo = () => session.queryAsync('SELECT 1').catch(() => {});
  return {
    async *run(query, signal) {
      await prepare(query);
      signal.throwIfAborted();
      let whole = false;
      try {
        if (mustRunBuffered(query.text)) {
          const result = await session.queryAsync(query.text, { format: query.format });
          if (result.bytes().length > 0) yield result.bytes();
        } else {
          for await (const chunk of session.queryStream(query.text, { format: query.format })) yield chunk.raw();
        }
        whole = true;
      } finally {
        if (!whole) await letGo();
      }
    },
  };
}

/**
 * Starting a stream plans the query on this process' only thread, and planning runs inner selects (measured: a slow scalar
 * subquery blocked all requests for 7 s). Such queries, and those that return nothing, run whole on a thread of their own.
 */
export function mustRunBuffered(text: string): boolean {
  return !/^\s*SELECT\b/i.test(text) || /\(\s*(SELECT|WITH)\b/i.test(text);
}

function checkName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new Error(`Code: 62. DB::Exception: bad name ${JSON.stringify(name)}`);
  return name;
}

function literal(value: string): string {
  return `'${value.replace(/[\\']/g, (char) => `\\${char}`)}'`;
}
