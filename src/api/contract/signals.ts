import { z } from 'zod';
import { ENTITY_KINDS } from '../../model/index.ts';
import { rangeQuery } from './page.ts';

export const signalInfo = z.object({
  name: z.string(),
  unit: z.string(),
  meaning: z.string(),
  direction: z.enum(['up-is-bad', 'down-is-bad', 'neutral']),
  aggregate: z.string(),
  layer: z.string(),
  sources: z.array(z.string()),
});
export const signalsResponse = z.array(signalInfo);
export type SignalsResponse = z.infer<typeof signalsResponse>;

/**
 * One canonical signal of one entity, or of each member of it with `by`. `stat`: for distributions `p50 p90 p95 p99 mean
 * rate` (default p95), for counters the rate per second, for gauges the value. `step` in seconds.
 */
export const signalQuery = rangeQuery.extend({
  entity: z.string(),
  by: z.enum(ENTITY_KINDS).optional(),
  stat: z.enum(['p50', 'p90', 'p95', 'p99', 'mean', 'rate']).optional(),
  step: z.coerce.number().positive().max(86_400).optional(),
});
export const signalResponse = z.object({
  unit: z.string(),
  step: z.number(),
  series: z.array(
    z.object({
      entity: z.string(),
      labels: z.record(z.string(), z.string()),
      points: z.array(z.tuple([z.number(), z.number().nullable()])),
    }),
  ),
  /** Which systems answered, each with its query: every number can be opened as its query. */
  sources: z.array(z.object({ system: z.string(), language: z.string(), query: z.string() })),
  missing: z.array(z.object({ signal: z.string(), entity: z.string(), why: z.string(), fix: z.string() })),
});
export type SignalResponse = z.infer<typeof signalResponse>;
