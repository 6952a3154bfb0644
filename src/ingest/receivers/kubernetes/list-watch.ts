import type { IncomingMessage } from 'node:http';
import { type Backoff, backoffDelay, type Clock } from '../../../base/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { type ApiObject, isRecord, toApiObject } from './api-object.ts';
import type { KubernetesApi } from './connection.ts';
import { readBody, readLines, SilenceError } from './read-body.ts';
import { permissionWords, type Resource } from './resources.ts';

/** What a list and watch of one resource brings. The loop waits for each call, and so slows down with it. */
export interface ListWatchHandler {
  beginList(): void;
  seen(objects: readonly ApiObject[]): Promise<void>;
  endList(): Promise<void>;
  /** Events of a watch, in order. */
  changed(events: readonly WatchEvent[]): Promise<void>;
  /** What could not be read: counted, never silent. */
  unreadable(count: number, example: string): void;
  report(report: Report): void;
}

export interface WatchEvent {
  type: 'seen' | 'ended';
  object: ApiObject;
}

export type Report =
  | { kind: 'heard' }
  | { kind: 'silent'; message: string }
  | { kind: 'refused'; message: string }
  | { kind: 'unreachable'; message: string };

export interface ListWatchTimes {
  /** Pause after which a watch is given up and opened anew. Servers send bookmarks about once a minute. */
  silenceMs: number;
  /** Wait for the headers of an answer. */
  answerMs: number;
  /** Even without need everything is listed again after this long, which heals whatever a watch may have missed. */
  relistMs: number;
  backoff: Backoff;
  /** After a refusal: permissions come slowly. */
  refusedBackoff: Backoff;
  /** A watch that lasted this long was a good one. */
  goodWatchMs: number;
}

export const defaultTimes: ListWatchTimes = {
  silenceMs: 120_000,
  answerMs: 30_000,
  relistMs: 24 * 3_600_000,
  backoff: { firstMs: 500, maxMs: 30_000, factor: 2 },
  refusedBackoff: { firstMs: 5_000, maxMs: 120_000, factor: 2 },
  goodWatchMs: 10_000,
};

const PAGE = 500;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Watches that end without a word, one after the other, until everything is listed again. */
const FRUITLESS_WATCHES = 5;
/** The server ends a watch after about this long, so that no connection is for ever. */
const WATCH_SECONDS = 290;

/**
 * Lists a resource, then watches it from there, for ever: lists again when the version expired (410, as a status or as
 * an error event inside a 200), goes on from the last known version when a watch merely ended, waits longer and longer
 * with jitter when that happens at once. Ends when the signal aborts.
 */
export async function runListWatch(options: {
  api: () => KubernetesApi;
  resource: Resource;
  handler: ListWatchHandler;
  clock: Clock;
  times: ListWatchTimes;
  random: () => number;
  signal: AbortSignal;
}): Promise<void> {
  const { resource, handler, clock, times, signal } = options;
  const position: Position = { version: undefined };
  let listedAt = 0;
  let failures = 0;
  let fruitless = 0;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    try {
      if (position.version === undefined || startedAt - listedAt > times.relistMs || fruitless >= FRUITLESS_WATCHES) {
        position.version = await list(options);
        listedAt = startedAt;
        fruitless = 0;
      }
      const events = await watch(options, position);
      fruitless = events > 0 ? 0 : fruitless + 1;
      const good = clock.monotonic() - startedAt >= times.goodWatchMs;
      failures = good ? 0 : events > 0 ? 1 : failures + 1;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      if (error instanceof SilenceError) fruitless++;
      if (error instanceof ExpiredError) position.version = undefined;
      handler.report(reportOf(error));
      if (error instanceof RefusedError) {
        await pause(Math.max(error.retryAfterMs, backoffDelay(times.refusedBackoff, failures, options.random())));
        continue;
      }
      if (error instanceof ServerError && error.retryAfterMs > 0) await pause(error.retryAfterMs);
    }
    if (failures > 0) await pause(backoffDelay(times.backoff, failures, options.random()));
  }

  async function pause(ms: number): Promise<void> {
    // Aborted: the loop's condition ends it.
    await clock.sleep(ms, signal).catch(() => {});
  }

  function reportOf(error: unknown): Report {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof RefusedError) return { kind: 'refused', message };
    if (error instanceof SilenceError) return { kind: 'silent', message: `${resource.name}: ${message}` };
    if (error instanceof ExpiredError) return { kind: 'heard' };
    return { kind: 'unreachable', message };
  }
}

/** Where a watch would go on; undefined when everything must be listed first. */
interface Position {
  version: string | undefined;
}

/** The version from which there is nothing to watch any more. */
class ExpiredError extends Error {}
/** Not allowed, or not served here. */
class RefusedError extends Error {
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
class ServerError extends Error {
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

type LoopOptions = Parameters<typeof runListWatch>[0];

/** Reads all pages and returns the list's version. When a page's token expires the list begins anew, then without pages. */
async function list(options: LoopOptions): Promise<string> {
  try {
    return await listPages(options, PAGE);
  } catch (error) {
    if (!(error instanceof ExpiredError)) throw error;
    return listPages(options, undefined);
  }
}

async function listPages(options: LoopOptions, limit: number | undefined): Promise<string> {
  const { handler, resource, times } = options;
  handler.beginList();
  let token = '';
  for (;;) {
    const query = {
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(token === '' ? {} : { continue: token }),
    };
    const response = await answer(options, 'list', query);
    const page: unknown = parse(await readBody(response, { maxBytes: MAX_PAGE_BYTES, silenceMs: times.silenceMs }));
    const { metadata, items } = isRecord(page) ? page : {};
    if (!isRecord(metadata) || (items !== null && !Array.isArray(items)))
      throw new ServerError(`the list of ${resource.name} is not a list`);
    await handler.seen(readable(items ?? [], handler));
    handler.report({ kind: 'heard' });
    token = typeof metadata.continue === 'string' ? metadata.continue : '';
    if (token !== '') continue;
    await handler.endList();
    return String(metadata.resourceVersion ?? '');
  }
}

/** Returns how many events came. Keeps `position` at the last one that was handed on, also when it throws. */
async function watch(options: LoopOptions, position: Position): Promise<number> {
  const { handler, times } = options;
  let events = 0;
  const query = {
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion: position.version ?? '',
    // Spread, so that the watches of all resources do not end together.
    timeoutSeconds: String(WATCH_SECONDS + Math.round(options.random() * 60)),
  };
  const response = await answer(options, 'watch', query);
  handler.report({ kind: 'heard' });
  for await (const lines of readLines(response, { maxBytes: MAX_EVENT_BYTES, silenceMs: times.silenceMs })) {
    const changed: WatchEvent[] = [];
    let reached = position.version;
    let failure: Error | undefined;
    for (const line of lines) {
      const event = parse(line);
      if (!isRecord(event)) throw new ServerError('a watch event is not an object');
      if (event.type === 'ERROR') {
        failure = watchError(event.object);
        break;
      }
      const seenVersion =
        isRecord(event.object) && isRecord(event.object.metadata) ? event.object.metadata.resourceVersion : undefined;
      if (typeof seenVersion === 'string' && seenVersion !== '') reached = seenVersion;
      events++;
      if (event.type === 'BOOKMARK') continue;
      for (const object of readable([event.object], handler))
        changed.push({ type: event.type === 'DELETED' ? 'ended' : 'seen', object });
    }
    if (changed.length > 0) await handler.changed(changed);
    position.version = reached;
    handler.report({ kind: 'heard' });
    if (failure) throw failure;
  }
  return events;
}

function watchError(status: unknown): Error {
  const { code, message, reason } = isRecord(status) ? status : {};
  if (code === 410 || reason === 'Expired' || reason === 'Gone') return new ExpiredError();
  return new ServerError(`the watch ended with an error: ${String(message ?? code ?? 'unknown')}`);
}

function readable(items: readonly unknown[], handler: ListWatchHandler): ApiObject[] {
  const objects = items.flatMap((item) => toApiObject(item) ?? []);
  if (objects.length < items.length)
    handler.unreadable(items.length - objects.length, 'an object without metadata.name or metadata.uid');
  return objects;
}

/** A 200, or an error that says what the loop should do. */
async function answer(
  options: LoopOptions,
  verb: 'list' | 'watch',
  query: Record<string, string>,
): Promise<IncomingMessage> {
  const { resource, times, signal } = options;
  const patience = new AbortController();
  const stopWaiting = AbortSignal.any([signal, patience.signal]);
  const timer = setTimeout(
    () => patience.abort(new SilenceError(`no answer for ${times.answerMs / 1000} s`)),
    times.answerMs,
  );
  let response: IncomingMessage;
  try {
    response = await options.api().get(resource.path, query, stopWaiting);
  } catch (error) {
    if (patience.signal.aborted && !signal.aborted) throw patience.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) return response;
  const text = await readBody(response, { maxBytes: 64 * 1024, silenceMs: times.answerMs }).catch(() => '');
  if (statusCode === 410) throw new ExpiredError();
  const retryAfterMs = Math.min(120, Number(headers['retry-after']) || 0) * 1000;
  if (statusCode === 401) throw new RefusedError('the API server does not accept the credentials (401)', retryAfterMs);
  if (statusCode === 403) throw new RefusedError(`${permissionWords(resource, verb)} (403)`, retryAfterMs);
  if (statusCode === 404) throw new RefusedError(`the API server does not serve ${resource.path} (404)`, retryAfterMs);
  throw new ServerError(
    `the API server answered ${statusCode} to ${verb} ${resource.name}: ${redactText(text).slice(0, 200)}`,
    retryAfterMs,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerError('the API server sent what is not JSON');
  }
}
