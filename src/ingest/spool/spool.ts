import { setTimeout } from 'node:timers/promises';
import type { Clock, Logger } from '../../base/index.ts';
import { labelSet, METRIC_NAME } from '../../model/index.ts';
import { type DuplicateValues, type EncodedBlock, newestSampleMs, type Store } from '../../store/index.ts';
import { duplicateText } from '../identity/index.ts';
import { BackPressureError, type Rejection, type RequestMark } from '../sink.ts';
import { openDiskGuard } from './disk.ts';
import { encodeAppend } from './frames.ts';
import { createSegmentLoader } from './loader.ts';
import { newestOf } from './newest-sample.ts';
import { openRefusedFolder } from './refused.ts';
import { openRequestJournal } from './request-journal.ts';
import { findSegments, readSegment, type Segment } from './segments.ts';
import { createStateWatch, judgeSpool, type SpoolState } from './state.ts';
import { createSegmentWriter } from './writer.ts';

export interface SpoolOptions {
  folder: string;
  store: Pick<Store, 'port'>;
  /** How much may wait for the store; beyond it appends are refused. */
  maxBytes: number;
  /** Free space that is left to the store: with less, appends are refused. */
  reserveBytes?: number;
  clock: Clock;
  logger: Logger;
  /** Of rows that were set aside; beyond it the oldest are dropped. */
  maxRefusedBytes?: number;
  /** How many requests are being worked on: an append waits a moment for theirs, so that they share a sync. */
  underWay?: () => number;
  /** How long an append waits for others before they are inserted together. */
  sealAfterMs?: number;
  sealBytes?: number;
  /** Acknowledged rows were set aside: whoever encodes batches must introduce series again. */
  onRefused?: () => void;
  /** Acknowledged samples were dropped since their times had other values already. */
  onDuplicates?: (rejection: Rejection) => void;
}

export interface SpoolStats {
  /** Waiting for the store. */
  bytes: number;
  maxBytes: number;
  segments: number;
  /** Since the oldest waiting append; 0 when nothing waits. */
  oldestSeconds: number;
  /** Files in `refused/`: rows that the store refused for good or that the disk did not give back. */
  refused: number;
  state: SpoolState;
  /** Since when it is so, in ms since the epoch. */
  sinceMs: number;
  /** What is wrong, in a sentence. */
  message?: string;
}

/** What was acknowledged, by earlier processes too. */
export interface TakenIn {
  /** Those of the last minutes: a repetition of one must store nothing. */
  requests: RequestMark[];
  /** Time of the newest sample, in ms since the epoch; -Infinity when there is none. */
  newestSampleMs: number;
}

/** What is acknowledged survives a crash and reaches the store once. */
export interface Spool {
  /**
   * Resolves when the blocks of a batch are on disk, all or none, together with the mark of the request that they complete.
   * Throws BackPressureError when too much waits already or the disk refuses.
   */
  append(blocks: readonly EncodedBlock[], request?: RequestMark): Promise<void>;
  /** By which repetitions are known, also after a restart. */
  takenIn(): Promise<TakenIn>;
  /** Resolves when all that was appended before is in the store. */
  flush(signal?: AbortSignal): Promise<void>;
  stats(): SpoolStats;
  /** Resolves when what earlier processes left is in the store. */
  ready: Promise<void>;
  /** Brings into the store what it takes within four seconds; the rest waits on disk for the next start. */
  close(): Promise<void>;
}

const RETRY_AFTER_SECONDS = 5;
/** With the engine's own time to close, well within what the process takes to stop. */
const CLOSE_WITHIN_MS = 4_000;
const LOAD_AGAIN_AFTER_MS = 1_000;
const LOOK_UP_LIMITS = { seconds: 30, memoryBytes: 256 * 1024 ** 2 };
const MOST_FUTURE_MS = 3_600_000;

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, clock, logger } = options;
  const sealAfterMs = options.sealAfterMs ?? 900;
  const closing = new AbortController();
  const maxRefusedBytes = options.maxRefusedBytes ?? 256 * 1024 * 1024;
  const refused = await openRefusedFolder({ folder, maxBytes: maxRefusedBytes, logger });
  const waiting: Segment[] = await findSegments(folder);
  const left = waiting.length;
  const journal = await openRequestJournal({ folder, clock, logger });
  const disk = await openDiskGuard({ folder, reserveBytes: options.reserveBytes ?? 0, clock, logger });
  const noteState = createStateWatch(clock);
  /** How much waited when an append was refused for it; forgotten when there is room again. */
  let refusedAtBytes: number | undefined;
  let loadedSegments = 0;
  let closed = false;
  /** Of appends that wait for the disk. */
  let reservedBytes = 0;
  /** Wakes the loop that loads. */
  let wake = () => {};
  /** The loop waits for the first append after a pause. */
  let idle = false;
  const watchers = new Set<() => void>();

  const writer = createSegmentWriter({
    folder,
    clock,
    sealBytes: options.sealBytes ?? 16 * 1024 * 1024,
    underWay: options.underWay ?? (() => 0),
    onEnded: (segment) => {
      waiting.push(segment);
      wake();
    },
  });
  const { port } = options.store;
  const loader = createSegmentLoader({
    folder,
    refused,
    journal,
    port,
    clock,
    logger,
    onRefused: options.onRefused ?? (() => {}),
    onDuplicates: (duplicates) => options.onDuplicates?.(rejectionOf(duplicates)),
  });

  const stats = (): SpoolStats => {
    const { maxBytes } = options;
    const open = writer.open();
    const all = open ? [...waiting, open] : waiting;
    const oldest = Math.min(...all.map((segment) => segment.firstMs));
    const bytes = all.reduce((sum, segment) => sum + segment.bytes, 0);
    const oldestSeconds = all.length === 0 ? 0 : Math.max(0, (clock.now() - oldest) / 1000);
    const judged = judgeSpool({
      bytes,
      maxBytes,
      oldestSeconds,
      refusedAtBytes,
      storeUp: port.isUp(),
      storeTrouble: loader.trouble(),
      diskTrouble: disk.trouble(),
    });
    if (judged.state !== 'full' && judged.state !== 'disk-refuses') refusedAtBytes = undefined;
    const sinceMs = noteState(judged.state);
    return { bytes, maxBytes, segments: all.length, oldestSeconds, refused: refused.count(), sinceMs, ...judged };
  };
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  const loadNext = async (segment: Segment) => {
    await loader.load(segment, closing.signal);
    waiting.shift();
    loadedSegments++;
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
  closing.signal.addEventListener('abort', () => wake());

  const untilLoaded = (count: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (loadedSegments >= count) finish(resolve);
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
  const flush = async (signal?: AbortSignal) => {
    await writer.seal();
    const goal = loadedSegments + waiting.length;
    wake();
    await untilLoaded(goal, signal);
  };

  return {
    async append(blocks, request) {
      if (closed) throw new BackPressureError('the server is shutting down', RETRY_AFTER_SECONDS);
      if (blocks.length === 0) return;
      const pieces = encodeAppend(blocks, request);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const { bytes } = stats();
      if (bytes + reservedBytes + size > options.maxBytes) {
        refusedAtBytes = bytes;
        throw new BackPressureError(`${bytes} bytes wait for the store already`, RETRY_AFTER_SECONDS);
      }
      reservedBytes += size;
      try {
        await disk.write(() => writer.append(pieces));
      } catch (error) {
        throw new BackPressureError(disk.trouble() ?? String(error), RETRY_AFTER_SECONDS);
      } finally {
        reservedBytes -= size;
      }
      if (idle) wake();
    },
    async takenIn() {
      // Who asks may have been told "try again" for what is on disk in a moment.
      await writer.settled();
      const requests: RequestMark[] = [];
      let newestMs = Number.NEGATIVE_INFINITY;
      const open = writer.open();
      // What is not there any more is in the journal and in the store by then.
      for (const segment of open ? [...waiting, open] : [...waiting]) {
        const content = await readSegment(folder, segment).catch(() => undefined);
        for (const request of content?.requests ?? []) requests.push(request);
        newestMs = Math.max(newestMs, await newestOf(content?.frames ?? []));
      }
      for (const request of await journal.read()) requests.push(request);
      // A store that is down can't say: then it may hold whatever could be accepted by now.
      const inStore = await newestSampleMs(port, { limits: LOOK_UP_LIMITS }).catch(() => clock.now() + MOST_FUTURE_MS);
      return { requests, newestSampleMs: Math.max(newestMs, inStore) };
    },
    flush,
    stats,
    ready: untilLoaded(left),
    async close() {
      closed = true;
      if (port.isUp()) await flush(AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => {}); // what did not go in stays on disk
      closing.abort();
      await Promise.all([loading, disk.close()]);
      await writer.seal();
    },
  };
}

function rejectionOf({ count, example }: DuplicateValues): Rejection {
  const labels = labelSet([[METRIC_NAME, example.metric], ...example.labels]);
  const text = duplicateText({ labels }, example.timeMs, example.kept, example.dropped);
  return { signal: 'samples', reason: 'duplicate_value', count, example: text };
}
