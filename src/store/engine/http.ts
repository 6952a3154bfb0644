import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Engine } from './engine.ts';
import type { EngineQuery } from './session.ts';

/**
 * The part of ClickHouse's HTTP interface that Trifocal uses: POST with the statement as body, `param_*` and settings in the
 * URL, Basic authentication, a result streamed in the asked format, an error as text with its code, and an error in
 * mid-result as the text block that ClickHouse 25.11 and later write. A client that goes away stops its query.
 */
export function createEngineServer(engine: Engine, key: string): Server {
  const expected = Buffer.from(`Basic ${Buffer.from(`trifocal:${key}`).toString('base64')}`);
  const server = createServer({ maxHeaderSize: 32 * 1024 * 1024 }, (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return refuse(response);
    if (request.url === '/ping') return void response.end('Ok.\n');
    void answer(engine, request, response);
  });
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  return server;
}

function refuse(response: ServerResponse): void {
  response.writeHead(403, { 'X-ClickHouse-Exception-Code': '516' });
  response.end('Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)\n');
}

async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const tag = randomBytes(8).toString('hex');
  try {
    const query = await readQuery(request);
    let begun = false;
    for await (const piece of engine.run(query, gone.signal)) {
      if (!begun) response.writeHead(200, { 'X-ClickHouse-Format': query.format, 'X-ClickHouse-Exception-Tag': tag });
      begun = true;
      gone.signal.throwIfAborted();
      if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    if (response.headersSent) response.end(exceptionBlock(message, tag));
    else sendError(response, message);
  }
}

const OWN_PARAMETERS = new Set(['query', 'query_id', 'database', 'default_format', 'session_id', 'role']);

async function readQuery(request: IncomingMessage): Promise<EngineQuery> {
  const url = new URL(request.url ?? '/', 'http://engine');
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const params = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value);
    else if (!OWN_PARAMETERS.has(name)) settings.set(name, value);
  }
  const text = Buffer.concat(pieces).toString('utf8') || (url.searchParams.get('query') ?? '');
  const id = settings.get('log_comment') ?? url.searchParams.get('query_id') ?? randomBytes(8).toString('hex');
  const format = /\bFORMAT\s+(\w+)\s*$/i.exec(text)?.[1] ?? url.searchParams.get('default_format') ?? 'TabSeparated';
  return { id, text, params, settings, format };
}

/** Time-outs as 408, mistakes of the caller as 400, the rest as 500; callers look at the code in the text anyway. */
function sendError(response: ServerResponse, message: string): void {
  const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 0);
  const status = code === 159 ? 408 : [62, 47, 60, 36, 115, 456, 457].includes(code) ? 400 : 500;
  response.writeHead(status, {
    'X-ClickHouse-Exception-Code': String(code),
    'Content-Type': 'text/plain; charset=utf-8',
  });
  response.end(`${message}\n`);
}

function exceptionBlock(message: string, tag: string): string {
  const text = `${message}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}
