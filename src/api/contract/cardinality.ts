import { z } from 'zod';
import { timeOut } from './page.ts';

export const cardinalityQuery = z.object({ cluster: z.string().max(253).optional() });

/** How many series there are, whose they are, what makes them many, and what was refused. */
export const cardinalityResponse = z.object({
  /** Series seen within the last one to two hours, over all clusters that may be seen, and the most allowed (`limits.series`). */
  active: z.number(),
  limit: z.number(),
  /** `limits.perMetric`. */
  perMetricLimit: z.number(),
  clusters: z.array(z.object({ cluster: z.string(), series: z.number(), limit: z.number() })),
  /** The 100 metrics with the most series. */
  metrics: z.array(
    z.object({
      metric: z.string(),
      cluster: z.string(),
      series: z.number(),
      /** Of `active`, 0 to 1. */
      share: z.number(),
      /** Series per hour that were not there before. */
      churnPerHour: z.number(),
      /** By how much the number of active series rises in an hour; negative when it falls. */
      growthPerHour: z.number(),
      /** Samples refused by a limit since the server started. */
      refused: z.number(),
      /** Most values first. Numbers above 64 are estimates, within about 3 %. */
      labels: z.array(z.object({ name: z.string(), values: z.number(), example: z.string() })),
    }),
  ),
  /** The 100 label names with the most values over all metrics. */
  labels: z.array(
    z.object({ name: z.string(), values: z.number(), metrics: z.number(), example: z.array(z.string()) }),
  ),
  /** What limits refused, latest first. */
  refusals: z.array(
    z.object({
      metric: z.string(),
      cluster: z.string(),
      reason: z.string(),
      /** The label with the most values, or the one that is too long; empty when none stands out. */
      label: z.string(),
      /** Samples. */
      count: z.number(),
      since: timeOut,
      last: timeOut,
      example: z.string(),
    }),
  ),
});
export type CardinalityResponse = z.infer<typeof cardinalityResponse>;
