import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;
export interface Stored {
  metadata: Json & { name: string; namespace?: string; uid: string; resourceVersion: string };
  [part: string]: unknown;
}

/** How the next requests are answered; each field until it is changed. */
export interface Behaviour {
  /** `status`: 410; `event`: 200 with an ERROR event of code 410 inside. */
  expireWatches: 'no' | 'status' | 'event';
  closeWatchesAtOnce: boolean;
  /** Headers, then nothing. */
  hangWatches: boolean;
  /** Not even headers. */
  neverAnswer: boolean;
  forbid: Set<string>;
  /** Continue tokens are refused with 410 this many times. */
  expireTokens: number;
  /** Answers with 500 this many times. */
  fail: number;
  /** The body of those answers. */
  failText: string;
}

/** A real HTTP server that speaks as much of the Kubernetes API as list and watch need, and misbehaves as told. */
export interface ApiServer {
  url: string;
  behaviour: Behaviour;
  /** Requests so far, as `list pods`, `watch pods`. */
  requests: string[];
  put(resource: string, object: Omit<Stored, 'metadata'> & { metadata: Json & { name: string; uid: string } }): void;
  remove(resource: string, uid: string): void;
  bookmark(): void;
  all(resource: string): Stored[];
  /** Breaks every open connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startApiServer(): Promise<ApiServer> {
  let version = 100;
  const objects = new Map<string, Map<string, Stored>>();
  const history = new Map<string, { version: number; line: string }[]>();
  const watchers = new Map<string, Set<ServerResponse>>();
  const requests: string[] = [];
  const behaviour: Behaviour = {
    expireWatches: 'no',
    closeWatchesAtOnce: false,
    hangWatches: false,
    neverAnswer: false,
    forbid: new Set(),
    expireTokens: 0,
    fail: 0,
    failText: 'etcd is unhappy',
  };
  const of = <T>(map: Map<string, T>, key: string, make: () => T): T => {
    const value = map.get(key) ?? make();
    map.set(key, value);
    return value;
  };
  const emit = (resource: string, type: string, object: unknown) => {
    const line = `${JSON.stringify({ type, object })}\n`;
    of(history, resource, () => []).push({ version, line });
    if (behaviour.hangWatches) return;
    for (const response of of(watchers, resource, () => new Set<ServerResponse>())) response.write(line);
  };
  const gone = (response: ServerResponse) => {
    response.writeHead(410, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }));
  };

  function list(resource: string, url: URL, response: ServerResponse): void {
    const all = [...of(objects, resource, () => new Map<string, Stored>()).values()];
    const limit = Number(url.searchParams.get('limit') ?? all.length);
    const token = url.searchParams.get('continue') ?? '';
    if (token !== '' && behaviour.expireTokens > 0) {
      behaviour.expireTokens--;
      return gone(response);
    }
    const from = Number(token || 0);
    const items = all.slice(from, from + limit);
    const next = from + limit < all.length ? String(from + limit) : undefined;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'List', metadata: { resourceVersion: String(version), continue: next }, items }));
  }

  function watch(resource: string, url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    if (behaviour.expireWatches === 'status') return gone(response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (behaviour.expireWatches === 'event') {
      response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
      return;
    }
    if (behaviour.closeWatchesAtOnce) return void response.end();
    const open = of(watchers, resource, () => new Set<ServerResponse>());
    open.add(response);
    response.on('close', () => open.delete(response));
    if (behaviour.hangWatches) return;
    for (const past of of(history, resource, () => [])) if (past.version > from) response.write(past.line);
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://api');
    const resource = url.pathname.split('/').pop() ?? '';
    const verb = url.searchParams.get('watch') === '1' ? 'watch' : 'list';
    requests.push(`${verb} ${resource}`);
    if (behaviour.neverAnswer) return;
    if (behaviour.fail > 0) {
      behaviour.fail--;
      response.writeHead(500);
      return void response.end(behaviour.failText);
    }
    if (behaviour.forbid.has(resource)) {
      response.writeHead(403, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ kind: 'Status', code: 403, message: `${resource} is forbidden` }));
    }
    if (verb === 'watch') watch(resource, url, response);
    else list(resource, url, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP

  return {
    url: `http://127.0.0.1:${port}`,
    behaviour,
    requests,
    put(resource, object) {
      version++;
      const stored: Stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
      const known = of(objects, resource, () => new Map<string, Stored>());
      const type = known.has(object.metadata.uid) ? 'MODIFIED' : 'ADDED';
      known.set(object.metadata.uid, stored);
      emit(resource, type, stored);
    },
    remove(resource, uid) {
      const known = of(objects, resource, () => new Map<string, Stored>());
      const object = known.get(uid);
      if (!object) return;
      version++;
      known.delete(uid);
      emit(resource, 'DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    },
    bookmark() {
      for (const [, open] of watchers) {
        for (const response of open) response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } })}\n`);
      }
    },
    all: (resource) => [...of(objects, resource, () => new Map<string, Stored>()).values()],
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
