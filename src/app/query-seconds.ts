import { Histogram, Registry } from 'prom-client';
import type { Clock } from '../base/index.ts';

/** How long questions take, by what they ask. */
export interface QuerySeconds {
  registry: Registry;
  /** The reader with each of its answers timed; failures count like answers. */
  timed<Reader extends object>(kind: 'promql' | 'logs' | 'traces' | 'objects', reader: Reader): Reader;
}

export function createQuerySeconds(clock: Clock): QuerySeconds {
  const registry = new Registry();
  const seconds = new Histogram({
    name: 'trifocal_query_seconds',
    help: 'Duration of queries of each kind, from question to answer.',
    labelNames: ['kind'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    registry,
    timed: (kind, reader) =>
      new Proxy(reader, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            const started = clock.monotonic();
            try {
              return await member.apply(target, args);
            } finally {
              seconds.observe({ kind }, (clock.monotonic() - started) / 1000);
            }
          };
        },
      }),
  };
}
