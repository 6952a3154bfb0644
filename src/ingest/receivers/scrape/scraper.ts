import { type Clock, isAbort, type Logger } from '../../../base/index.ts';
import type { SignalBatch } from '../../../model/index.ts';
import { redactText } from '../../pipeline/index.ts';
import { BackPressureError, type BatchOrigin, type DropReason, type SignalSink } from '../../sink.ts';
import { DecodeError, RefusedRequest } from '../wire/index.ts';
import type { ScrapeConfig } from './config.ts';
import { createPageFetcher, type Page, type PageFetcher } from './fetch-page.ts';
import { createTargetPages } from './scrape-page.ts';
import { alignedTime, gridTime, offsetOf, type Target, targetsOf } from './target.ts';

export interface ScrapeCluster {
  name: string;
  scrapeConfigs: readonly ScrapeConfig[];
}

/** One target as it is now. Times in ms since the epoch. */
export interface TargetState {
  cluster: string;
  job: string;
  url: string;
  labels: Readonly<Record<string, string>>;
  health: 'up' | 'down' | 'unknown';
  lastScrapeMs: number | null;
  lastDurationSeconds: number;
  /** Empty when the last scrape went well. */
  lastError: string;
  samples: number;
  intervalMs: number;
  timeoutMs: number;
}

export interface Scraper {
  targets(): TargetState[];
  /** Replaces the configuration: targets that stay go on undisturbed, those that left get stale markers. */
  update(clusters: readonly ScrapeCluster[]): void;
  /** Stops without stale markers: a restart is no outage. */
  close(): Promise<void>;
}

export interface ScraperOptions {
  clusters: readonly ScrapeCluster[];
  sink: SignalSink;
  clock: Clock;
  logger: Logger;
  /** Bytes of one page after decompression where the configuration sets no `body_size_limit`. */
  maxBodyBytes?: number;
}

const DEFAULT_PAGE_BYTES = 128 * 1024 * 1024;

interface Loop {
  target: Target;
  state: TargetState;
  stop(options: { mark: boolean }): void;
  done: Promise<void>;
}

/** Scrapes every target at its own times of an exact grid until closed. A failing target concerns nobody but itself. */
export function startScraper(options: ScraperOptions): Scraper {
  const fetcher = createPageFetcher(options.clock);
  const closing = new AbortController();
  const loops = new Map<string, Loop>();
  const leaving = new Set<Promise<void>>();
  const isLive = (identity: string) => [...loops.values()].some((loop) => loop.target.identity === identity);

  const update = (clusters: readonly ScrapeCluster[]) => {
    const wanted = new Map(
      clusters.flatMap(({ name, scrapeConfigs }) => targetsOf(name, scrapeConfigs)).map((t) => [t.key, t]),
    );
    for (const [key, loop] of loops) {
      if (wanted.has(key)) continue;
      loops.delete(key);
      loop.stop({ mark: true });
      leaving.add(loop.done);
      loop.done.finally(() => leaving.delete(loop.done));
    }
    for (const [key, target] of wanted) {
      if (!loops.has(key)) loops.set(key, startLoop(target, options, fetcher, closing.signal, isLive));
    }
  };
  update(options.clusters);

  return {
    targets: () => [...loops.values()].map((loop) => loop.state),
    update,
    async close() {
      closing.abort(new DOMException('the scraper is closing', 'AbortError'));
      await Promise.all([...[...loops.values()].map((loop) => loop.done), ...leaving]);
      await fetcher.close();
    },
  };
}

function startLoop(
  target: Target,
  options: ScraperOptions,
  fetcher: PageFetcher,
  closing: AbortSignal,
  isLive: (identity: string) => boolean,
): Loop {
  const { clock, sink, logger } = options;
  const pages = createTargetPages(target);
  const leaving = new AbortController();
  const stopping = AbortSignal.any([closing, leaving.signal]);
  const offset = offsetOf(target);
  const maxBytes = target.config.body_size_limit || options.maxBodyBytes || DEFAULT_PAGE_BYTES;
  const state: TargetState = {
    cluster: target.cluster,
    job: target.job,
    url: redactText(target.url),
    labels: Object.fromEntries(target.labels),
    health: 'unknown',
    lastScrapeMs: null,
    lastDurationSeconds: 0,
    lastError: '',
    samples: 0,
    intervalMs: target.intervalMs,
    timeoutMs: target.timeoutMs,
  };
  const targetOrigin: BatchOrigin = {
    protocol: 'scrape',
    cluster: target.cluster,
    sender: `${target.job} ${state.url}`,
  };
  let due = gridTime(clock.now(), target.intervalMs, offset);

  const scrapeOnce = async (timeMs: number) => {
    const startedAt = clock.monotonic();
    const elapsed = () => clock.monotonic() - startedAt;
    let page: Page | Error;
    try {
      page = await fetcher.fetch(target.url, { timeoutMs: target.timeoutMs, maxBytes, signal: stopping });
    } catch (error) {
      if (stopping.aborted) return;
      page = error instanceof Error ? error : new Error(String(error));
    }
    const outcome = await pages.scrape(page, timeMs, elapsed);
    state.health = outcome.up ? 'up' : 'down';
    state.lastScrapeMs = timeMs;
    state.lastDurationSeconds = elapsed() / 1000;
    state.lastError = redactText(outcome.error);
    state.samples = outcome.scraped;
    const origin: BatchOrigin = { ...targetOrigin };
    if (!(page instanceof Error)) origin.bytes = page.body.length;
    const reason = outcome.up ? undefined : lossOf(page);
    if (reason !== undefined) {
      const example = `${target.url}: ${outcome.error}`;
      sink.drop({ signal: 'samples', reason, count: Math.max(1, outcome.scraped), example }, origin);
    }
    if (outcome.duplicates.count > 0)
      sink.drop({ signal: 'samples', reason: 'duplicate_value', ...outcome.duplicates }, origin);
    const { samples, metadata } = outcome;
    await deliver(metadata.length > 0 ? { samples, metadata } : { samples }, origin);
  };

  /** A scrape has no sender that could come again: what the spool refuses is lost, and counted by the sink. */
  const deliver = async (batch: SignalBatch, origin: BatchOrigin) => {
    try {
      await sink.accept(batch, origin);
    } catch (error) {
      if (!(error instanceof BackPressureError)) throw error;
      logger.warn({ url: state.url }, `a scrape is lost: ${error.message}`);
    }
  };

  const run = async () => {
    for (;;) {
      await clock.sleep(Math.max(0, due - clock.now()), stopping);
      try {
        await scrapeOnce(alignedTime(clock.now(), due, target.intervalMs));
      } catch (error) {
        if (stopping.aborted) throw error;
        logger.error(
          { url: state.url, error: error instanceof Error ? error.stack : String(error) },
          'a scrape failed unexpectedly',
        );
      }
      due = Math.max(due + target.intervalMs, gridTime(clock.now(), target.intervalMs, offset));
    }
  };

  /** As Prometheus: markers at the time of the scrape that does not happen, unless somebody took the target over meanwhile. */
  const markEnd = async () => {
    const endMs = due;
    await clock.sleep(Math.max(0, due - clock.now()) + target.intervalMs * 1.1, closing);
    if (!isLive(target.identity)) await deliver({ samples: pages.end(endMs) }, targetOrigin);
  };

  let mark = false;
  const done = run()
    .catch(async () => {
      if (mark && !closing.aborted) await markEnd();
    })
    .catch((error: unknown) => {
      if (closing.aborted && isAbort(error)) return;
      logger.error(
        { url: state.url, error: String(error) },
        'stale markers of a target that left could not be written',
      );
    });
  return {
    target,
    state,
    done,
    stop(how) {
      mark = how.mark;
      leaving.abort(new DOMException('the target left', 'AbortError'));
    },
  };
}

/** Why a page that came was dropped; undefined when none came. */
function lossOf(page: Page | Error): DropReason | undefined {
  if (page instanceof RefusedRequest) return page.status === 413 ? 'oversize' : 'unreadable';
  return page instanceof Error && !(page instanceof DecodeError) ? undefined : 'unreadable';
}
