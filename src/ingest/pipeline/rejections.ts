import type { DropReason, Rejection } from '../sink.ts';

/** What was refused, with the label that a limit names. */
export interface LabelledRejection extends Rejection {
  label?: string;
}

/** Gathers what is refused from one batch: a count per signal and reason, and the first of each as the example. */
export interface Rejections {
  add(signal: Rejection['signal'], reason: DropReason, example: () => string, count?: number, label?: string): void;
  list(): LabelledRejection[];
}

export function createRejections(): Rejections {
  const byKind = new Map<string, LabelledRejection>();
  return {
    add(signal, reason, example, count = 1, label = '') {
      if (count === 0) return;
      const key = `${signal} ${reason}`;
      const known = byKind.get(key);
      if (known) known.count += count;
      else byKind.set(key, { signal, reason, count, example: example(), ...(label === '' ? {} : { label }) });
    },
    list: () => [...byKind.values()],
  };
}

/** What a step makes of one signal. One over which the step stumbles is counted, and costs its neighbours nothing. */
export function passOne<T>(
  signal: Rejection['signal'],
  rejections: Rejections,
  step: () => T | undefined,
): T | undefined {
  try {
    return step();
  } catch (error) {
    rejections.add(signal, 'invalid', () => `one of the ${signal} cannot be processed: ${error}`);
    return undefined;
  }
}
