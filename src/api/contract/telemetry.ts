import { z } from 'zod';
import { timeOut } from './page.ts';

export const telemetryResponse = z.object({
  sources: z.array(
    z.object({
      cluster: z.string(),
      /** What delivers: `otlp`, `remote-write`, `loki`, `scrape`, `kubernetes`. */
      kind: z.string(),
      /** A scrape job or target, a watched resource, or empty. */
      name: z.string(),
      state: z.enum(['connected', 'lagging', 'silent', 'refused']),
      lastSeen: timeOut.nullable(),
      lagSeconds: z.number().nullable(),
      gaps: z.number(),
      perSecond: z.number(),
      message: z.string().optional(),
    }),
  ),
  dropped: z.array(
    z.object({
      reason: z.string(),
      signal: z.string(),
      count: z.number(),
      since: timeOut,
      example: z.string().optional(),
    }),
  ),
  tables: z.array(z.object({ name: z.string(), rows: z.number(), bytes: z.number() })),
  series: z.number(),
  spool: z.object({ bytes: z.number(), oldestSeconds: z.number() }),
  storeUp: z.boolean(),
});
export type TelemetryResponse = z.infer<typeof telemetryResponse>;

/** What the running server is: for the page's shell. */
export const statusResponse = z.object({
  version: z.string(),
  startedAt: timeOut,
  now: timeOut,
  /** `starting` while the simulated estate's past is still coming in. */
  demo: z.enum(['off', 'starting', 'live', 'failed']),
  clusters: z.array(z.string()),
  storeUp: z.boolean(),
});
export type StatusResponse = z.infer<typeof statusResponse>;
