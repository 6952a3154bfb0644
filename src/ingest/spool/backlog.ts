import { setTimeout } from 'node:timers/promises';
import type { Clock, Logger } from '../../base/index.ts';
import type { SegmentLoader } from './loader.ts';
import type { Segment } from './segments.ts';
import type { SegmentWriter } from './writer.ts';

/** What is on disk and not in the store yet, and the loop that brings it there, the oldest first. */
export interface Backlog {
  /** Takes a segment that was ended. */
  add(segment: Segment): void;
  /** All that wait, the open one included. */
  segments(): Segment[];
  /** Something was appended to the open segment. */
  appended(): void;
  /** Resolves when all that was appended before is in the store. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Resolves when what was there in the beginning is in the store. */
  ready: Promise<void>;
  /** Ends the loop; what still waits stays on disk. */
  close(): Promise<void>;
}

const LOAD_AGAIN_AFTER_MS = 1_000;

/** `found`: what earlier processes left. An open segment is ended when it has been open for `sealAfterMs`. */
export function createBacklog(options: {
  found: readonly Segment[];
  writer: Pick<SegmentWriter, 'open' | 'seal'>;
  loader: SegmentLoader;
  sealAfterMs: number;
  clock: Clock;
  logger: Logger;
  onLoaded: () => void;
}): Backlog {
  const { writer, loader, sealAfterMs, clock, logger, onLoaded } = options;
  const closing = new AbortController();
  const waiting = [...options.found];
  const watchers = new Set<() => void>();
  let loaded = 0;
  /** Wakes the loop. */
  let wake = () => {};
  /** The loop waits for the first append after a pause. */
  let idle = false;

  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const loadNext = async (segment: Segment) => {
    await loader.load(segment, closing.signal);
    waiting.shift();
    loaded++;
    onLoaded();
    for (const watcher of watchers) watcher();
  };
  /** Loads segment after segment; ends the open one when nothing else waits and it has been open long enough. */
  const keepLoading = async () => {
    while (!closing.signal.aborted) {
      const segment = waiting[0];
      const open = writer.open();
      if (segment) await loadNext(segment);
      else if (!open) {
        idle = true;
        await woken();
        idle = false;
      } else {
        const age = clock.now() - open.firstMs;
        if (age >= sealAfterMs || age < 0) await writer.seal();
        else await Promise.race([clock.sleep(sealAfterMs - age, closing.signal), woken()]);
      }
    }
  };
  const loadUntilClosed = async () => {
    while (!closing.signal.aborted) {
      try {
        await keepLoading();
      } catch (error) {
        if (closing.signal.aborted) return;
        logger.error({ error: String(error) }, 'loading the spool into the store failed, going on');
        // Not by the clock: it may be what failed.
        await setTimeout(LOAD_AGAIN_AFTER_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };
  const loading = loadUntilClosed();

  const untilLoaded = (count: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (loaded >= count) finish(resolve);
      };
      const onAbort = () => finish(() => reject(signal?.reason));
      const finish = (settle: () => void) => {
        watchers.delete(check);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      watchers.add(check);
      signal?.addEventListener('abort', onAbort, { once: true });
      check();
    });

  return {
    add(segment) {
      waiting.push(segment);
      wake();
    },
    segments() {
      const open = writer.open();
      return open ? [...waiting, open] : [...waiting];
    },
    appended() {
      if (idle) wake();
    },
    async flush(signal) {
      await writer.seal();
      await untilLoaded(loaded + waiting.length, signal);
    },
    ready: untilLoaded(waiting.length),
    async close() {
      closing.abort();
      wake();
      await loading;
    },
  };
}
