import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { sizeText } from './state.ts';

/** Knows whether the disk under the spool takes more, and keeps a reserve free so that the store can work on. */
export interface DiskGuard {
  /** Throws when free space is below the reserve. Looks at most every half second. */
  check(): Promise<void>;
  /** A write failed: in trouble until one succeeds or room is found. */
  failed(error: unknown): void;
  succeeded(): void;
  /** Why the disk takes nothing now. */
  trouble(): string | undefined;
  /** While in trouble, looks again: so the state does not depend on senders that come. */
  recheck(): Promise<void>;
}

/** The disk has less free space than is kept for the store. */
class DiskNearlyFull extends Error {
  override name = 'DiskNearlyFull';
}

const LOOK_EVERY_MS = 500;
/** What a probe writes: an append is of this order. */
const PROBE = 'probe';
const PROBE_BYTES = 64 * 1024;

/** `reserveBytes`: free space of the file system that holds `folder`, below which nothing more is taken. */
export function createDiskGuard(options: { folder: string; reserveBytes: number; clock: Clock }): DiskGuard {
  const { folder, reserveBytes, clock } = options;
  let trouble: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let free = Number.POSITIVE_INFINITY;

  const look = async () => {
    if (clock.monotonic() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = clock.monotonic();
    free = await freeBytesOf(folder).catch(() => Number.POSITIVE_INFINITY); // the append itself tells what is wrong
  };
  const check = async () => {
    await look();
    if (free >= reserveBytes) return;
    trouble = `the disk is nearly full: ${sizeText(free)} are free, and ${sizeText(reserveBytes)} are kept for the store`;
    throw new DiskNearlyFull(trouble);
  };
  const failed = (error: unknown) => {
    if (!(error instanceof DiskNearlyFull))
      trouble = `the disk refuses: ${error instanceof Error ? error.message : error}`;
  };
  const succeeded = () => {
    trouble = undefined;
  };
  return {
    check,
    failed,
    succeeded,
    trouble: () => trouble,
    async recheck() {
      if (trouble === undefined) return;
      const probe = join(folder, PROBE);
      try {
        await check();
        await writeFile(probe, Buffer.alloc(PROBE_BYTES), { flush: true });
        succeeded();
      } catch (error) {
        failed(error);
      } finally {
        await rm(probe, { force: true }).catch(() => {}); // the next start removes it
      }
    },
  };
}

/** As a process without privileges sees it. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
