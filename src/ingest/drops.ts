import { RollingCount } from './rolling-count.ts';
import type { BatchOrigin, DropReason, Rejection } from './sink.ts';

/** What was not stored, by reason. Times in ms since the epoch; the count since the server started. */
export interface DropState {
  reason: DropReason;
  signal: Rejection['signal'];
  protocol: BatchOrigin['protocol'];
  count: number;
  /** Over the last five minutes. */
  perSecond: number;
  sinceMs: number;
  lastMs: number;
  /** When dropping began that went on without a pause of five minutes. */
  episodeMs: number;
  /** The latest. */
  example: string;
  sender?: string;
  /** The label that made series too many or was too long. */
  label?: string;
}

export interface DropLog {
  add(rejection: Rejection & { label?: string }, origin: BatchOrigin): void;
  states(): DropState[];
}

const SLOTS = 10;
const SLOT_MS = 30_000;

/** Bounded by the number of signals, reasons and protocols. */
export function createDropLog(clock: { now(): number }): DropLog {
  const drops = new Map<string, Omit<DropState, 'perSecond'> & { recent: RollingCount }>();
  return {
    add({ signal, reason, count, example, label }, { protocol, sender }) {
      const now = clock.now();
      const key = `${signal} ${reason} ${protocol}`;
      const known = drops.get(key);
      const recent = known?.recent ?? new RollingCount(SLOTS, SLOT_MS);
      const goesOn = known !== undefined && recent.sum(now) > 0;
      recent.add(count, now);
      drops.set(key, {
        reason,
        signal,
        protocol,
        count: (known?.count ?? 0) + count,
        sinceMs: known?.sinceMs ?? now,
        lastMs: now,
        episodeMs: goesOn ? known.episodeMs : now,
        example,
        ...(sender === undefined ? {} : { sender }),
        ...(label === undefined ? {} : { label }),
        recent,
      });
    },
    states() {
      const now = clock.now();
      return [...drops.values()].map(({ recent, ...drop }) => ({
        ...drop,
        perSecond: recent.sum(now) / ((SLOTS * SLOT_MS) / 1000),
      }));
    },
  };
}
