import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { deadline } from '../../base/index.ts';
import { asStoreError, resultRowsLimit, storeErrorFromText } from './failure.ts';
import { decodeNative, IncompleteBlockError } from './native/decode.ts';
import { type CallOptions, type ClickHousePort, type QueryLimits, type Statement, StoreError } from './port.ts';
import { columnNames, insertStructure, isTableName } from './schema/tables.ts';

/** Where a ClickHouse answers. */
export interface Endpoint {
  url: string;
  user: string;
  password: string;
  database: string;
  /** It sees the same files as this process, and stops queries whose client left, by itself. */
  embedded: boolean;
}

/** The engine's own time limit ends a query in order; this much later the call is given up, whatever the engine does. */
const GRACE_SECONDS = 5;
const STOP_MS = 3_000;

/** The port over HTTP. `endpoint` is asked for every call, since the embedded engine may come back at another address. */
export function createClickHousePort(
  endpoint: () => Endpoint | undefined,
): ClickHousePort & { close(): Promise<void> } {
  let current: Connected | undefined;
  const connect = () => {
    const wanted = endpoint();
    if (!wanted) throw new StoreError('down', 'the store is down');
    if (current?.endpoint !== wanted) {
      void current?.client.close();
      current = { endpoint: wanted, client: openClient(wanted) };
    }
    return current;
  };

  /** Sends a statement; the stream of its answer must be read to its end or destroyed. */
  const send = async (
    client: ClickHouseClient,
    text: string,
    params: Statement['params'],
    call: Call,
  ): Promise<Readable> => {
    const { stream } = await client.exec({
      query: text,
      query_params: { ...params },
      clickhouse_settings: { ...limitSettings(call.limits), log_comment: call.id },
      abort_signal: call.signal,
    });
    return stream;
  };

  async function* select(statement: Statement, options: CallOptions) {
    const call = beginCall(options);
    const { limits } = options;
    let stream: Readable | undefined;
    let server: Connected | undefined;
    let finished = false;
    try {
      server = connect();
      stream = await send(server.client, `${statement.text}\nFORMAT Native`, statement.params, call);
      let rows = 0;
      for await (const block of decodeNative(abortable(stream, call.signal))) {
        rows += block.rows;
        if (rows > (limits.resultRows ?? Number.POSITIVE_INFINITY)) throw rowsExceeded(limits);
        yield block;
      }
      finished = true;
    } catch (error) {
      if (error instanceof IncompleteBlockError) {
        const told = storeErrorFromText(error.rest.toString('utf8'), limits);
        finished = told !== undefined;
        throw told ?? asStoreError(error, limits, options.signal);
      }
      throw call.explain(error);
    } finally {
      stream?.destroy();
      if (!finished && server) await stop(server, call.id);
    }
  }

  const execute = async (options: CallOptions, work: (client: ClickHouseClient, call: Call) => Promise<Readable>) => {
    const call = beginCall(options);
    let server: Connected | undefined;
    try {
      server = connect();
      const stream = await work(server.client, call);
      for await (const _ of abortable(stream, call.signal));
    } catch (error) {
      if (call.signal.aborted && server) await stop(server, call.id);
      throw call.explain(error);
    }
  };

  return {
    select,
    run: (statement, options) =>
      execute(options, (client, call) => send(client, statement.text, statement.params, call)),
    insertSegment: (insert, options) =>
      execute(options, (client, call) => {
        const statement = insertStatement(insert.table, insert.token);
        if (connect().endpoint.embedded) {
          const source = 'SELECT * FROM file({path:String}, Native, {structure:String})';
          return send(
            client,
            `${statement} ${source}`,
            { path: insert.file, structure: structureOf(insert.table) },
            call,
          );
        }
        return client
          .exec({
            query: `${statement} FORMAT Native`,
            values: createReadStream(insert.file),
            clickhouse_settings: { ...limitSettings(call.limits), log_comment: call.id },
            abort_signal: call.signal,
          })
          .then(({ stream }) => stream);
      }),
    isUp: () => endpoint() !== undefined,
    close: async () => {
      await current?.client.close();
      current = undefined;
    },
  };
}

interface Connected {
  endpoint: Endpoint;
  client: ClickHouseClient;
}

function openClient(endpoint: Endpoint): ClickHouseClient {
  return createClient({
    url: endpoint.url,
    username: endpoint.user,
    password: endpoint.password,
    database: endpoint.database,
    application: 'trifocal',
    log: { level: ClickHouseLogLevel.OFF }, // errors are thrown, and what they quote may be a secret
    max_open_connections: 64,
    request_timeout: 3_600_000,
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
  });
}

interface Call {
  id: string;
  limits: QueryLimits;
  /** Aborts with the caller's signal or when the engine overstays its limit. */
  signal: AbortSignal;
  explain(error: unknown): StoreError;
}

function beginCall({ limits, signal }: CallOptions): Call {
  if (signal?.aborted) throw new StoreError('aborted', 'the query was stopped', { cause: signal.reason });
  const id = randomBytes(9).toString('base64url');
  const late = deadline((limits.seconds + GRACE_SECONDS) * 1000, signal);
  return {
    id,
    limits,
    signal: late,
    explain: (error) => {
      const overstayed = late.aborted && !signal?.aborted;
      return overstayed
        ? new StoreError('limit', `the query exceeded its limit: time ${limits.seconds} s`, {
            cause: error,
            limit: `time ${limits.seconds} s`,
          })
        : asStoreError(error, limits, signal);
    },
  };
}

function limitSettings(limits: QueryLimits): ClickHouseSettings {
  return {
    max_execution_time: limits.seconds,
    max_memory_usage: String(Math.round(limits.memoryBytes)),
    ...(limits.resultRows === undefined
      ? {}
      : { max_result_rows: String(limits.resultRows), result_overflow_mode: 'throw' }),
  };
}

function rowsExceeded(limits: QueryLimits): StoreError {
  const limit = resultRowsLimit(limits);
  return new StoreError('limit', `the query exceeded its limit: ${limit}`, { limit });
}

/** A server does not notice that its client left before it next writes, so it is told, until it has understood. */
async function stop({ endpoint, client }: Connected, id: string): Promise<void> {
  if (endpoint.embedded) return;
  const kill = "KILL QUERY WHERE Settings['log_comment'] = {id:String} ASYNC";
  const left = "SELECT count() FROM system.processes WHERE Settings['log_comment'] = {id:String} FORMAT TSV";
  const params = { query_params: { id }, abort_signal: AbortSignal.timeout(STOP_MS) };
  try {
    for (let running = true; running; ) {
      await client.command({ query: kill, ...params });
      const { stream } = await client.exec({ query: left, ...params });
      let answer = '';
      for await (const piece of stream) answer += piece;
      running = Number(answer) > 0;
    }
  } catch {
    // It is gone, or too busy; the query's own limits end it.
  }
}

async function* abortable(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const onAbort = () => stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    yield* stream;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Server defaults differ, so what makes a repeated insert harmless is always spelt out. */
function insertStatement(table: string, token: string): string {
  if (!isTableName(table)) throw new StoreError('statement', `no table ${table}`);
  if (!/^[\w.:-]+$/.test(token)) throw new StoreError('statement', `bad token ${JSON.stringify(token)}`);
  const settings = [
    `insert_deduplication_token = '${token}'`,
    'deduplicate_blocks_in_dependent_materialized_views = 1',
    'async_insert = 0',
    'max_partitions_per_insert_block = 0',
    'max_insert_threads = 1',
  ];
  return `INSERT INTO ${table} (${columnNames(table).join(', ')}) SETTINGS ${settings.join(', ')}`;
}

function structureOf(table: string): string {
  if (!isTableName(table)) throw new StoreError('statement', `no table ${table}`);
  return insertStructure(table);
}
