import type { DropReason, Rejection } from '../sink.ts';

/** Gathers what is refused from one batch: a count per signal and reason, and the first of each as the example. */
export interface Rejections {
  add(signal: Rejection['signal'], reason: DropReason, example: () => string, count?: number): void;
  list(): Rejection[];
}

export function createRejections(): Rejections {
  const byKind = new Map<string, Rejection>();
  return {
    add(signal, reason, example, count = 1) {
      const key = `${signal} ${reason}`;
      const known = byKind.get(key);
      if (known) known.count += count;
      else byKind.set(key, { signal, reason, count, example: example() });
    },
    list: () => [...byKind.values()],
  };
}
