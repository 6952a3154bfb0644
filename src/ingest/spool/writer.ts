import type { Clock } from '../../base/index.ts';
import { createSegment, cutSegment, type OpenSegment, type Segment, writeAll } from './segments.ts';

/** Appends to the open segment. Appends that come while the disk syncs are written and synced together. */
export interface SegmentWriter {
  /** Resolves when the bytes are on disk. After a failure the next append begins another segment. */
  append(pieces: readonly Buffer[]): Promise<void>;
  /** Ends the open segment, if there is one. */
  seal(): Promise<void>;
  /** Resolves when all appends that came before are on disk or were refused. */
  settled(): Promise<void>;
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
 * `onEnded` gets segments that were sealed, that reached `sealBytes`, or that ended because the disk refused. `underWay` says
 * how many requests are being worked on, of which each may append.
 */
export function createSegmentWriter(options: {
  folder: string;
  sealBytes: number;
  clock: Clock;
  underWay: () => number;
  onEnded: (segment: Segment) => void;
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
  const end = async (): Promise<void> => {
    const ended = current;
    if (ended === undefined) return;
    await ended.file.close().catch(() => {}); // what was acknowledged is synced already
    // Only now and at once, so that there is no moment in which what waits seems to be gone.
    current = undefined;
    if (ended.bytes > 0) options.onEnded({ name: ended.name, bytes: ended.bytes, firstMs: ended.firstMs });
  };
  /** They hold appends that were refused, which would look like acknowledged ones after a crash. */
  const uncut: Segment[] = [];
  const cutRefused = async () => {
    for (let segment = uncut[0]; segment !== undefined; segment = uncut[0]) {
      await cutSegment(options.folder, segment);
      uncut.shift();
    }
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
      await cutRefused(); // a disk that does not even do this takes nothing
      current ??= await createSegment(options.folder, options.clock.now());
      const pieces = group.flatMap((one) => one.pieces);
      const total = await writeAll(current.file, pieces);
      await current.file.datasync();
      current.bytes += total;
    } catch (error) {
      if (current !== undefined) uncut.push(current);
      await end();
      await cutRefused().catch(() => {}); // before the next append
      for (const one of group) one.reject(error);
      return;
    }
    for (const one of group) one.resolve();
    if (current.bytes >= options.sealBytes) await end();
  };

  return {
    append: (pieces) =>
      new Promise((resolve, reject) => {
        waiting.push({ pieces, resolve, reject });
        if (waiting.length === 1) void inTurn(writeWaiting);
        else if (waiting.length >= options.underWay()) gathered();
      }),
    seal: () => inTurn(end),
    settled: () => inTurn(async () => {}),
    open: () => current,
  };
}
