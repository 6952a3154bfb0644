import { newestTimeOf } from '../../store/index.ts';
import type { Frame } from './frames.ts';

/** The time of the newest sample among rows that are not in the store yet, in ms since the epoch; -Infinity without any. */
export async function newestOf(frames: readonly Frame[]): Promise<number> {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { table, block } of frames) {
    // A block that cannot be read is told of by whoever loads it.
    if (table === 'samples') newest = Math.max(newest, await newestTimeOf(block).catch(() => newest));
  }
  return newest;
}
