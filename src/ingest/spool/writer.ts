import type { Clock } from '../../base/index.ts';
import { createSegment, deleteSegment, type OpenSegment, type Segment, writeAll } from './segments.ts';

/** Appends to the open segment. Appends that come while the disk syncs are written and synced together. */
export interface SegmentWriter {
  /** Resolves when the bytes are on disk. After a failure the next append begins another segment. */
  append(pieces: readonly Buffer[]): Promise<void>;
  /** Ends the open segment; undefined when nothing was appended since the last. */
  seal(): Promise<Segment | undefined>;
  /** Bytes of the open segment and when its first append came. */
  open(): Segment | undefined;
}

interface Waiting {
  pieces: readonly Buffer[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * A sync costs the same for one append as for many, so it waits this long for those that are on their way. A sender that is
 * alone never waits.
 */
const GATHER_MS = 2;

/**
 * `onFull` gets segments that ended because they reached `sealBytes` or because the disk refused. `underWay` says how many
 * requests are being worked on, of which each may append.
 */
export function createSegmentWriter(options: {
  folder: string;
  sealBytes: number;
  clock: Clock;
  underWay: () => number;
  onFull: (segment: Segment) => void;
}): SegmentWriter {
  let current: OpenSegment | undefined;
  let waiting: Waiting[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  /** Ends the waiting for others. */
  let gathered = () => {};

  /** Runs after everything that was begun before. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };
  const end = async (): Promise<Segment | undefined> => {
    const ended = current;
    await ended?.file.close().catch(() => {}); // what was acknowledged is synced already
    // Only now, so that there is no moment in which what waits seems to be gone. Nobody appends meanwhile: that has its turn.
    current = undefined;
    return ended && { name: ended.name, bytes: ended.bytes, firstMs: ended.firstMs };
  };
  const gather = async () => {
    if (waiting.length === 0 || waiting.length >= options.underWay()) return;
    const enough = new Promise<void>((resolve) => {
      gathered = resolve;
    });
    await Promise.race([enough, options.clock.sleep(GATHER_MS)]);
  };
  const writeWaiting = async () => {
    await gather();
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      current ??= await createSegment(options.folder, options.clock.now());
      const pieces = group.flatMap((one) => one.pieces);
      const total = await writeAll(current.file, pieces);
      await current.file.datasync();
      current.bytes += total;
    } catch (error) {
      await current?.file.truncate(current.bytes).catch(() => {}); // else it would look like damage after a crash
      const broken = await end();
      if (broken && broken.bytes > 0) options.onFull(broken);
      else if (broken) await deleteSegment(options.folder, broken).catch(() => {}); // the next start finds and drops it
      for (const one of group) one.reject(error);
      return;
    }
    for (const one of group) one.resolve();
    if (current.bytes >= options.sealBytes) {
      const full = await end();
      if (full) options.onFull(full);
    }
  };

  return {
    append: (pieces) =>
      new Promise((resolve, reject) => {
        waiting.push({ pieces, resolve, reject });
        if (waiting.length === 1) void inTurn(writeWaiting);
        else if (waiting.length >= options.underWay()) gathered();
      }),
    seal: () => inTurn(end),
    open: () => current,
  };
}
