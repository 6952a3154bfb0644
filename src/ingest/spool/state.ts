import type { Clock } from '../../base/index.ts';

/**
 * How the way to the store is: `behind` when rows wait longer than they should, `full` when no more may wait, `disk-refuses`
 * when nothing more can be written. In the last two, senders are told to try again.
 */
export type SpoolState = 'ok' | 'behind' | 'full' | 'disk-refuses';

export interface SpoolFacts {
  bytes: number;
  maxBytes: number;
  oldestSeconds: number;
  storeUp: boolean;
  /** Why the store does not take the oldest rows. */
  storeTrouble: string | undefined;
  /** How much waited when an append was refused for it; undefined when that is over. */
  refusedAtBytes: number | undefined;
  /** Why the disk takes nothing now. */
  diskTrouble: string | undefined;
}

/** Normally a second or two; with this, charts visibly lack their end. */
const BEHIND_AFTER_SECONDS = 15;
/** Of what waited when an append was refused: the spool is full until it has drained to here. */
const ROOM_AGAIN = 0.9;

export function judgeSpool(facts: SpoolFacts): { state: SpoolState; message?: string } {
  const { bytes, maxBytes, oldestSeconds, refusedAtBytes, diskTrouble } = facts;
  if (diskTrouble !== undefined)
    return { state: 'disk-refuses', message: `${diskTrouble}; senders are told to try again` };
  const store = describeStore(facts);
  if (isFull(bytes, refusedAtBytes)) {
    const message = `${store} and ${sizeText(bytes)} wait for it, the most allowed; senders are told to try again`;
    return { state: 'full', message };
  }
  if (bytes > 0 && oldestSeconds > BEHIND_AFTER_SECONDS) {
    const message = `${store}; ${sizeText(bytes)} of ${sizeText(maxBytes)} wait on disk, the oldest for ${Math.round(oldestSeconds)} s`;
    return { state: 'behind', message };
  }
  return { state: 'ok' };
}

/** Whether it has not drained since an append was refused. */
export function isFull(bytes: number, refusedAtBytes: number | undefined): boolean {
  return refusedAtBytes !== undefined && bytes > refusedAtBytes * ROOM_AGAIN;
}

function describeStore({ storeUp, storeTrouble }: SpoolFacts): string {
  if (!storeUp) return 'the store is down';
  return storeTrouble === undefined
    ? 'the store takes in less than arrives'
    : `the store does not take rows now (${storeTrouble.slice(0, 300)})`;
}

/** Keeps since when a state holds, in ms since the epoch. */
export function createStateWatch(clock: Clock) {
  let current: SpoolState = 'ok';
  let sinceMs = clock.now();
  return (state: SpoolState): number => {
    if (state !== current) sinceMs = clock.now();
    current = state;
    return sinceMs;
  };
}

export function sizeText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
