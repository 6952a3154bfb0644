import { z } from 'zod';
import { rangeQuery, timeOut } from './page.ts';

/** Log lines of an entity (and what it contains), newest first. `q`: text that the line must contain. */
export const logsQuery = rangeQuery.extend({
  entity: z.string().optional(),
  cluster: z.string().optional(),
  q: z.string().max(1024).optional(),
  severity: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  traceId: z.string().max(32).optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(200),
});
export const logLine = z.object({
  at: timeOut,
  /** Exact nanoseconds since the epoch, as a decimal string. */
  timeNs: z.string(),
  severity: z.string(),
  body: z.string(),
  entity: z.string(),
  container: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  /** The library that wrote it, empty when not known. */
  scope: z.object({ name: z.string(), version: z.string(), attributes: z.record(z.string(), z.string()) }),
  attributes: z.record(z.string(), z.string()),
});
export const logsResponse = z.object({ items: z.array(logLine), scannedRows: z.number(), truncated: z.boolean() });
export type LogsResponse = z.infer<typeof logsResponse>;
