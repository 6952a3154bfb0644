/**
 * Where an acknowledged batch is safe: on disk, synced, before it is in the store. It does not read back what it holds, and it
 * does not know what a signal means.
 */

export { createSpoolWriter, type SpoolWriter } from './encoding-writer.ts';
export { openSpool, type Spool, type SpoolOptions, type SpoolStats } from './spool.ts';
export type { TakenIn } from './taken-in.ts';
