import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Logger } from '../../base/index.ts';
import { sizeText } from './state.ts';

/** Knows whether the disk under the spool takes more, and keeps a reserve free so that the store can work on. */
export interface DiskGuard {
  /**
   * Begins a write at once, so that writes keep their order; rejects as it does. Rejects without beginning it when free space
   * was below the reserve half a second ago.
   */
  write(begin: () => Promise<void>): Promise<void>;
  /** Why the disk takes nothing now: a write failed, and since then none succeeded. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** The disk has less free space than is kept for the store. */
class DiskNearlyFull extends Error {
  override name = 'DiskNearlyFull';
}

const LOOK_EVERY_MS = 500;
/** While in trouble, so that its end is seen also when nobody sends. */
const PROBE_EVERY_MS = 1_000;
/** What a probe writes: an append is of this order. */
const PROBE = 'probe';
const PROBE_BYTES = 64 * 1024;

/** `reserveBytes`: free space of the file system that holds `folder`, below which nothing more is taken. */
export async function openDiskGuard(options: {
  folder: string;
  reserveBytes: number;
  clock: Clock;
  logger: Logger;
}): Promise<DiskGuard> {
  const { folder, reserveBytes, clock, logger } = options;
  const closing = new AbortController();
  let trouble: string | undefined;
  let free = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let watching: Promise<void> | undefined;

  const look = async () => {
    lookedAt = clock.monotonic();
    free = await freeBytesOf(folder).catch(() => Number.POSITIVE_INFINITY); // the append itself tells what is wrong
  };
  const checkReserve = () => {
    if (free >= reserveBytes) return;
    const room = `${sizeText(free)} are free, and ${sizeText(reserveBytes)} are kept for the store`;
    throw new DiskNearlyFull(`the disk is nearly full: ${room}`);
  };
  const note = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    trouble = error instanceof DiskNearlyFull ? message : `the disk refuses: ${message}`;
  };
  const probe = async () => {
    const path = join(folder, PROBE);
    try {
      await look();
      checkReserve();
      await writeFile(path, Buffer.alloc(PROBE_BYTES), { flush: true });
      trouble = undefined;
    } catch (error) {
      note(error);
    } finally {
      await rm(path, { force: true }).catch(() => {}); // the next start removes it
    }
  };
  const watch = async () => {
    while (trouble !== undefined && !closing.signal.aborted) {
      await setTimeout(PROBE_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
      if (trouble !== undefined && !closing.signal.aborted) await probe();
    }
    if (trouble === undefined) logger.info({}, 'the disk takes what is spooled again');
    watching = undefined;
  };

  await look();
  return {
    async write(begin) {
      try {
        if (clock.monotonic() - lookedAt >= LOOK_EVERY_MS) void look();
        checkReserve();
        await begin();
        trouble = undefined;
      } catch (error) {
        note(error);
        if (watching === undefined) {
          logger.error({ error: trouble }, 'the disk does not take what should be spooled; senders come again');
          watching = watch();
        }
        throw error;
      }
    },
    trouble: () => trouble,
    async close() {
      closing.abort();
      await watching;
    },
  };
}

/** As a process without privileges sees it. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
