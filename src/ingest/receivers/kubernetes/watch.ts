import { setMaxListeners } from 'node:events';
import type { Clock, Logger } from '../../../base/index.ts';
import type { ObjectVersion } from '../../../model/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { BackPressureError, type SignalSink } from '../../sink.ts';
import { type KubernetesApi, type KubernetesConnection, openConnection } from './connection.ts';
import { defaultTimes, type ListWatchTimes, runListWatch } from './list-watch.ts';
import { RESOURCES, type Resource } from './resources.ts';
import { createTracker, type KnownObject } from './tracker.ts';

export interface KubernetesWatchOptions {
  cluster: string;
  connection: KubernetesConnection;
  sink: SignalSink;
  clock: Clock;
  logger: Logger;
  /**
   * What the store holds of a kind as living. With it, objects that ended while nothing watched are recorded as ended, and
   * unchanged ones are not written again. Asked once per kind at the start, again until it answers.
   */
  known?: (kind: string) => Promise<readonly KnownObject[]>;
  /** For tests. */
  times?: Partial<ListWatchTimes>;
}

export interface KubernetesWatch {
  readonly cluster: string;
  state(): ResourceState[];
  /** Ends all watches; resolves when nothing more will be handed to the sink. */
  close(): Promise<void>;
}

/** How well one resource of the cluster is seen. */
export interface ResourceState {
  resource: string;
  state: 'connected' | 'lagging' | 'silent' | 'refused';
  /** The missing permission, the error, or nothing. */
  message?: string;
  lastSeenMs: number | null;
  objects: number;
}

/** One batch of objects; larger pages are handed over in parts. */
const BATCH = 500;
const MOST_REFUSALS = 5;

export function startKubernetesWatch(options: KubernetesWatchOptions): KubernetesWatch {
  const stopped = new AbortController();
  // Every resource waits on it.
  setMaxListeners(0, stopped.signal);
  const times = { ...defaultTimes, ...options.times };
  let opened: KubernetesApi | undefined;
  const api = () => {
    opened ??= openConnection(options.connection);
    return opened;
  };
  // Credentials in a kubeconfig may have been renewed since it was read.
  const reopen = () => {
    opened = undefined;
  };
  const watches = RESOURCES.map((resource) => watchResource(resource, { api, reopen }, times, options, stopped.signal));
  return {
    cluster: options.cluster,
    state: () => watches.map((watch) => watch.state()),
    async close() {
      stopped.abort(new Error('the watch was closed'));
      await Promise.all(watches.map((watch) => watch.done));
    },
  };
}

function watchResource(
  resource: Resource,
  { api, reopen }: { api: () => KubernetesApi; reopen: () => void },
  times: ListWatchTimes,
  options: KubernetesWatchOptions,
  signal: AbortSignal,
): { state(): ResourceState; done: Promise<void> } {
  const { clock, sink, cluster, logger } = options;
  const origin = { protocol: 'kubernetes', cluster, sender: resource.name } as const;
  let current: ResourceState = { resource: resource.name, state: 'silent', lastSeenMs: null, objects: 0 };
  let objects = () => 0;

  /**
   * Keeps trying while the spool is full: the watch waits, and nothing is lost. What the sink refuses again and again
   * for another reason is counted and left, so that one bad object does not stop the rest.
   */
  async function hand(versions: readonly ObjectVersion[]): Promise<void> {
    let refusals = 0;
    for (let i = 0; i < versions.length && !signal.aborted; ) {
      const part = versions.slice(i, i + BATCH);
      try {
        await sink.accept({ objects: part }, origin);
        i += BATCH;
        refusals = 0;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (!(error instanceof BackPressureError) && ++refusals >= MOST_REFUSALS) {
          sink.drop(
            { signal: 'objects', reason: 'invalid', count: part.length, example: `${resource.name}: ${message}` },
            origin,
          );
          i += BATCH;
          continue;
        }
        current = { ...current, state: 'lagging', message: redactText(message) };
        const seconds = error instanceof BackPressureError ? error.retryAfterSeconds : refusals;
        await clock.sleep(seconds * 1000, signal).catch(() => {});
      }
    }
  }

  async function run(): Promise<void> {
    const tracker = createTracker(cluster, resource, await knownObjects(resource, options, signal));
    objects = () => tracker.size;
    await runListWatch({
      api,
      resource,
      clock,
      times,
      signal,
      random: Math.random,
      handler: {
        beginList: () => tracker.beginList(),
        async seen(page) {
          await hand(page.flatMap((object) => tracker.see(object, clock.now()) ?? []));
        },
        async endList() {
          await hand(tracker.endList(clock.now()));
        },
        async changed(events) {
          await hand(
            events.flatMap(
              ({ type, object }) =>
                (type === 'ended' ? tracker.end(object, clock.now()) : tracker.see(object, clock.now())) ?? [],
            ),
          );
        },
        unreadable: (count, example) =>
          sink.drop(
            { signal: 'objects', reason: 'unreadable', count, example: `${resource.name}: ${example}` },
            origin,
          ),
        report(report) {
          if (report.kind === 'heard') {
            current = { resource: resource.name, state: 'connected', lastSeenMs: clock.now(), objects: tracker.size };
            return;
          }
          if (report.kind === 'refused') reopen();
          const message = redactText(report.message);
          if (current.message !== message) logger.warn({ cluster, resource: resource.name }, message);
          current = { ...current, state: report.kind === 'refused' ? 'refused' : 'silent', message };
        },
      },
    });
  }

  const done = run().catch((error) => {
    if (signal.aborted) return;
    const message = redactText(String(error));
    logger.error({ cluster, resource: resource.name, error: message }, 'a Kubernetes watch ended unexpectedly');
    current = { ...current, state: 'silent', message };
  });
  return { state: () => ({ ...current, objects: objects() }), done };
}

async function knownObjects(
  resource: Resource,
  options: KubernetesWatchOptions,
  signal: AbortSignal,
): Promise<readonly KnownObject[]> {
  if (!options.known) return [];
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await options.known(resource.kind);
    } catch (error) {
      options.logger.debug(
        { error: String(error), kind: resource.kind },
        'the store does not yet say which objects it knows',
      );
      await options.clock.sleep(Math.min(30_000, attempt * 1000), signal).catch(() => {});
    }
  }
  return [];
}
