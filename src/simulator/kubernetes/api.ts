import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseList, serveDiscovery } from './discovery.ts';
import { fits, type ObjectRequest, statusObject } from './object-request.ts';
import { type ObjectStore, RESOURCES } from './object-store.ts';
import type { AnyObject } from './object-types.ts';
import { serveWatch } from './watch.ts';

const CONTINUE_TTL_MS = 300_000;

/**
 * The read half of a Kubernetes API server over one store: discovery, list with paging, get, watch with bookmarks and
 * 410 for versions that are gone. Every request needs the bearer token; writing is refused.
 */
export function createKubernetesApi(options: {
  store: ObjectStore;
  token: string;
  now: () => number;
}): (request: IncomingMessage, response: ServerResponse) => void {
  const { store, token, now } = options;
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.headers.authorization !== `Bearer ${token}`)
      return refuse(response, 401, 'Unauthorized', 'Unauthorized');
    if (request.method !== 'GET') {
      return refuse(
        response,
        403,
        'Forbidden',
        `the simulated cluster is read-only: ${request.method} ${url.pathname}`,
      );
    }
    if (serveDiscovery(url.pathname, response)) return;
    const parsed = parseList(url.pathname);
    if (!parsed) return refuse(response, 404, 'NotFound', 'the server could not find the requested resource');
    const target: ObjectRequest = { ...parsed, query: url.searchParams };
    if (parsed.name !== '') return serveObject(store, target, parsed.name, response);
    if (['1', 'true'].includes(url.searchParams.get('watch') ?? ''))
      return serveWatch(store, target, request, response);
    serveList(store, target, now(), response);
  };
}

function serveObject(store: ObjectStore, target: ObjectRequest, name: string, response: ServerResponse): void {
  const object = store.get(target.resource, target.namespace, name);
  if (object) sendJson(response, 200, object);
  else refuse(response, 404, 'NotFound', `${target.resource} "${name}" not found`);
}

function serveList(store: ObjectStore, target: ObjectRequest, nowMs: number, response: ServerResponse): void {
  const limit = Number(target.query.get('limit') ?? 0);
  const token = target.query.get('continue');
  const from = token === null ? { after: '', version: store.resourceVersion, issuedMs: nowMs } : decodeContinue(token);
  if (!from) {
    refuse(response, 400, 'BadRequest', 'continue key is not valid');
    return;
  }
  if (from.version < store.oldestWatchable || nowMs - from.issuedMs > CONTINUE_TTL_MS) {
    refuse(response, 410, 'Expired', 'The provided continue parameter is too old to display a consistent list result.');
    return;
  }
  // Objects that changed since the first page come in their newest form: the store keeps no old ones.
  const all = store.list(target.resource).filter((object) => fits(target, object));
  const rest = all.filter((object) => keyOf(object) > from.after);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items[items.length - 1];
  const remaining = rest.length - items.length;
  const { group, kind } = RESOURCES[target.resource];
  sendJson(response, 200, {
    kind: `${kind}List`,
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    metadata: {
      resourceVersion: String(from.version),
      ...(remaining > 0 && last
        ? { continue: encodeContinue({ ...from, after: keyOf(last) }), remainingItemCount: remaining }
        : {}),
    },
    items,
  });
}

interface Continue {
  after: string;
  version: number;
  issuedMs: number;
}

function encodeContinue(value: Continue): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decodeContinue(text: string): Continue | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { after, version, issuedMs } = value as Partial<Continue>; // checked below
    if (typeof after !== 'string' || typeof version !== 'number' || typeof issuedMs !== 'number') return undefined;
    return { after, version, issuedMs };
  } catch {
    return undefined;
  }
}

function keyOf(object: AnyObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: number, reason: string, message: string): void {
  sendJson(response, code, statusObject(code, reason, message));
}
