import { systemClock } from '../../src/base/index.ts';
import { createMemorySource, createPromqlEngine } from '../../src/query/index.ts';
import type { Target } from './run.ts';

/** Samples in memory; everything is evaluated by the engine itself. */
export function memoryTarget(): Target {
  const source = createMemorySource();
  return {
    // Prometheus runs its own scripts with this feature on.
    engine: createPromqlEngine({ source, clock: systemClock, delayNames: true }),
    load: async (batch) => source.add(batch),
    clear: async () => source.clear(),
  };
}
