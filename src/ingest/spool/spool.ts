import { setTimeout } from 'node:timers/promises';
import type { Clock, Logger } from '../../base/index.ts';
import type { SignalBatch } from '../../model/index.ts';
import { createBatchEncoder, type Store } from '../../store/index.ts';
import { BackPressureError } from '../sink.ts';
import { encodeAppend } from './frames.ts';
import { createSegmentLoader } from './loader.ts';
import { openRefusedFolder } from './refused.ts';
import { findSegments, type Segment } from './segments.ts';
import { createSegmentWriter } from './writer.ts';

export interface SpoolOptions {
  folder: string;
  store: Pick<Store, 'port'>;
  /** How much may wait for the store; beyond it appends are refused. */
  maxBytes: number;
  clock: Clock;
  logger: Logger;
  /** Of rows that were set aside; beyond it the oldest are dropped. */
  maxRefusedBytes?: number;
  /** How long an append waits for others before they are inserted together. */
  sealAfterMs?: number;
  sealBytes?: number;
}

export interface SpoolStats {
  /** Waiting for the store. */
  bytes: number;
  segments: number;
  /** Since the oldest waiting append; 0 when nothing waits. */
  oldestSeconds: number;
  /** Files in `refused/`: rows that the store refused for good or that the disk did not give back. */
  refused: number;
}

/** What is acknowledged survives a crash and reaches the store once. */
export interface Spool {
  /** Resolves when the batch is on disk. Throws BackPressureError when too much waits already or the disk refuses. */
  append(batch: SignalBatch): Promise<void>;
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

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, clock, logger } = options;
  const sealAfterMs = options.sealAfterMs ?? 900;
  const encoder = createBatchEncoder(clock);
  const closing = new AbortController();
  const maxBytes = options.maxRefusedBytes ?? 256 * 1024 * 1024;
  const refused = await openRefusedFolder({ folder, maxBytes, logger });
  const waiting: Segment[] = await findSegments(folder);
  const left = waiting.length;
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
    onFull: (segment) => {
      waiting.push(segment);
      wake();
    },
  });
  const { port } = options.store;
  const loader = createSegmentLoader({ folder, refused, port, clock, logger, onRefused: encoder.forget });

  const stats = (): SpoolStats => {
    const open = writer.open();
    const all = open ? [...waiting, open] : waiting;
    const oldest = Math.min(...all.map((segment) => segment.firstMs));
    return {
      bytes: all.reduce((sum, segment) => sum + segment.bytes, 0),
      segments: all.length,
      oldestSeconds: all.length === 0 ? 0 : Math.max(0, (clock.now() - oldest) / 1000),
      refused: refused.count(),
    };
  };
  const sealOpen = async () => {
    const segment = await writer.seal();
    if (segment) waiting.push(segment);
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
        if (age >= sealAfterMs || age < 0) await sealOpen();
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
    await sealOpen();
    const goal = loadedSegments + waiting.length;
    wake();
    await untilLoaded(goal, signal);
  };

  return {
    async append(batch) {
      if (closed) throw new BackPressureError('the server is shutting down', RETRY_AFTER_SECONDS);
      const encoded = encoder.encode(batch);
      if (encoded.blocks.length === 0) return;
      const pieces = encodeAppend(encoded.blocks);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (stats().bytes + reservedBytes + size > options.maxBytes) {
        const message = `${options.maxBytes} bytes wait for the store already`;
        throw new BackPressureError(message, RETRY_AFTER_SECONDS);
      }
      reservedBytes += size;
      try {
        await writer.append(pieces);
      } catch (error) {
        logger.error({ error: String(error) }, 'the disk refuses what should be spooled');
        throw new BackPressureError(`the disk refuses: ${String(error)}`, RETRY_AFTER_SECONDS);
      } finally {
        reservedBytes -= size;
      }
      encoded.stored();
      if (idle) wake();
    },
    flush,
    stats,
    ready: untilLoaded(left),
    async close() {
      closed = true;
      if (port.isUp()) await flush(AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => {}); // what did not go in stays on disk
      closing.abort();
      await loading;
      await writer.seal();
    },
  };
}
