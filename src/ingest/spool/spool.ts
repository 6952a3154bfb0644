import type { Clock, Logger } from '../../base/index.ts';
import { labelSet, METRIC_NAME } from '../../model/index.ts';
import {
  type DuplicateValues,
  type EncodedBlock,
  type NewestSamples,
  newestSamples,
  type Store,
} from '../../store/index.ts';
import { duplicateText } from '../identity/index.ts';
import { BackPressureError, type Rejection, type RequestMark } from '../sink.ts';
import { createBacklog } from './backlog.ts';
import { openDiskGuard } from './disk.ts';
import { encodeAppend } from './frames.ts';
import { createSegmentLoader } from './loader.ts';
import { openRefusedFolder } from './refused.ts';
import { openRequestJournal } from './request-journal.ts';
import { findSegments, type Segment } from './segments.ts';
import { createStateWatch, isFull, judgeSpool, type SpoolState } from './state.ts';
import { LOOK_UP_LIMITS, readTakenIn, type TakenIn } from './taken-in.ts';
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

/** What is acknowledged survives a crash and reaches the store once. */
export interface Spool {
  /**
   * Resolves when the blocks of a batch are on disk, all or none, together with the mark of the request that they complete.
   * Throws BackPressureError when too much waits already or the disk refuses.
   */
  append(blocks: readonly EncodedBlock[], request?: RequestMark): Promise<void>;
  /** By which repetitions are known, also after a restart. */
  takenIn(): Promise<TakenIn>;
  /** The same of samples, however long it takes until the store can say. Rejects when the spool is closed before. */
  newestSamples(): Promise<NewestSamples>;
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
const ASK_AGAIN_AFTER_MS = 2_000;

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, maxBytes, clock, logger } = options;
  const { port } = options.store;
  const maxRefusedBytes = options.maxRefusedBytes ?? 256 * 1024 * 1024;
  const refused = await openRefusedFolder({ folder, maxBytes: maxRefusedBytes, logger });
  const found = await findSegments(folder);
  const journal = await openRequestJournal({ folder, clock, logger });
  const disk = await openDiskGuard({ folder, reserveBytes: options.reserveBytes ?? 0, clock, logger });
  const noteState = createStateWatch(clock);
  const closing = new AbortController();
  let closed = false;
  /** Of appends that wait for the disk. */
  let reservedBytes = 0;
  /** How much waited when an append was refused for it; undefined when there is room again. */
  let refusedAtBytes: number | undefined;

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
  const writer = createSegmentWriter({
    folder,
    clock,
    sealBytes: options.sealBytes ?? 16 * 1024 * 1024,
    underWay: options.underWay ?? (() => 0),
    onEnded: (segment) => backlog.add(segment),
  });
  const backlog = createBacklog({
    found,
    writer,
    loader,
    sealAfterMs: options.sealAfterMs ?? 900,
    clock,
    logger,
    onLoaded() {
      if (!isFull(sizeOf(backlog.segments()), refusedAtBytes)) refusedAtBytes = undefined;
    },
  });

  return {
    async append(blocks, request) {
      if (closed) throw new BackPressureError('the server is shutting down', RETRY_AFTER_SECONDS);
      if (blocks.length === 0) return;
      const pieces = encodeAppend(blocks, request);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const bytes = sizeOf(backlog.segments());
      if (bytes + reservedBytes + size > maxBytes) {
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
      backlog.appended();
    },
    async takenIn() {
      // Who asks may have been told "try again" for what is on disk in a moment.
      await writer.settled();
      return await readTakenIn({ folder, waiting: backlog.segments(), journal, port, clock });
    },
    async newestSamples() {
      for (;;) {
        await backlog.flush(closing.signal);
        const found = await newestSamples(port, clock.now(), { limits: LOOK_UP_LIMITS }).catch((error) => {
          logger.debug({ error: String(error) }, 'the store does not say how new its samples are, asking again');
        });
        if (found) return found;
        await clock.sleep(ASK_AGAIN_AFTER_MS, closing.signal);
      }
    },
    flush: backlog.flush,
    stats() {
      const waiting = backlog.segments();
      const bytes = sizeOf(waiting);
      const oldest = Math.min(...waiting.map(({ firstMs }) => firstMs));
      const oldestSeconds = waiting.length === 0 ? 0 : Math.max(0, (clock.now() - oldest) / 1000);
      const judged = judgeSpool({
        bytes,
        maxBytes,
        oldestSeconds,
        refusedAtBytes,
        storeUp: port.isUp(),
        storeTrouble: loader.trouble(),
        diskTrouble: disk.trouble(),
      });
      const sinceMs = noteState(judged.state);
      return { bytes, maxBytes, segments: waiting.length, oldestSeconds, refused: refused.count(), sinceMs, ...judged };
    },
    ready: backlog.ready,
    async close() {
      closed = true;
      if (port.isUp()) await backlog.flush(AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => {}); // the rest stays on disk
      closing.abort();
      await Promise.all([backlog.close(), disk.close()]);
      await writer.seal();
    },
  };
}

function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

function rejectionOf({ count, example }: DuplicateValues): Rejection {
  const labels = labelSet([[METRIC_NAME, example.metric], ...example.labels]);
  const text = duplicateText({ labels }, example.timeMs, example.kept, example.dropped);
  return { signal: 'samples', reason: 'duplicate_value', count, example: text };
}
