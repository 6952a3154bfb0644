import type { IncomingMessage, ServerResponse } from 'node:http';
import { fits, type ObjectRequest, statusObject } from './object-request.ts';
import { type ObjectStore, RESOURCES, type WatchEvent } from './object-store.ts';

const BOOKMARK_EVERY_MS = 60_000;
const DEFAULT_TIMEOUT_S = 1800;

/**
 * Streams changes after the asked version as lines of JSON, until the time-out or the client ends it. A version that
 * is no longer in the log gets an ERROR event with code 410 inside the 200, as the real server does it.
 */
export function serveWatch(
  store: ObjectStore,
  target: ObjectRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const asked = target.query.get('resourceVersion') ?? '';
  const from = asked === '' || asked === '0' ? undefined : Number(asked);
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  const write = (type: string, object: unknown) => response.write(`${JSON.stringify({ type, object })}\n`);
  if (from !== undefined && (Number.isNaN(from) || from < store.oldestWatchable)) {
    write('ERROR', statusObject(410, 'Expired', `too old resource version: ${asked} (${store.oldestWatchable})`));
    response.end();
    return;
  }
  const writeEvent = (event: WatchEvent) => {
    if (event.resource === target.resource && fits(target, event.object)) write(event.type, event.object);
  };
  if (from === undefined)
    for (const object of store.list(target.resource)) if (fits(target, object)) write('ADDED', object);
  for (const event of from === undefined ? [] : store.since(from)) writeEvent(event);
  response.flushHeaders();

  const unsubscribe = store.subscribe(writeEvent);
  const bookmarks = target.query.get('allowWatchBookmarks') === 'true';
  const bookmark = () => {
    const { group, kind } = RESOURCES[target.resource];
    const metadata = { resourceVersion: String(store.resourceVersion), creationTimestamp: null };
    if (bookmarks) write('BOOKMARK', { kind, apiVersion: group === '' ? 'v1' : `${group}/v1`, metadata });
  };
  const beat = setInterval(bookmark, BOOKMARK_EVERY_MS);
  const seconds = Number(target.query.get('timeoutSeconds') ?? DEFAULT_TIMEOUT_S) || DEFAULT_TIMEOUT_S;
  const timeout = setTimeout(() => {
    bookmark();
    response.end();
  }, seconds * 1000);
  const stop = () => {
    unsubscribe();
    clearInterval(beat);
    clearTimeout(timeout);
  };
  response.on('close', stop);
  request.on('error', stop);
}
