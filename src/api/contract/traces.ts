import { z } from 'zod';
import { rangeQuery, timeOut } from './page.ts';

/** Traces that touch an entity, slowest or newest first. Durations in seconds. */
export const tracesQuery = rangeQuery.extend({
  entity: z.string().optional(),
  cluster: z.string().optional(),
  minDuration: z.coerce.number().nonnegative().optional(),
  errors: z.stringbool().optional(),
  order: z.enum(['newest', 'slowest']).default('newest'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
export const traceSummary = z.object({
  traceId: z.string(),
  rootService: z.string(),
  rootName: z.string(),
  startedAt: timeOut,
  durationSeconds: z.number(),
  spans: z.number(),
  errors: z.number(),
});
export const tracesResponse = z.object({ items: z.array(traceSummary) });
export type TracesResponse = z.infer<typeof tracesResponse>;

export const spanItem = z.object({
  spanId: z.string(),
  parentSpanId: z.string(),
  service: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.string(),
  statusMessage: z.string(),
  startedAt: timeOut,
  startNs: z.string(),
  durationSeconds: z.number(),
  entity: z.string(),
  attributes: z.record(z.string(), z.string()),
  resource: z.record(z.string(), z.string()),
  /** The library that made the span. */
  scope: z.object({
    name: z.string(),
    version: z.string(),
    attributes: z.record(z.string(), z.string()),
    schemaUrl: z.string(),
  }),
  traceState: z.string(),
  /** As OTLP has them: W3C's trace flags in the lowest byte. */
  flags: z.number(),
  /** Spans of this or another trace that it belongs with. */
  links: z.array(
    z.object({
      traceId: z.string(),
      spanId: z.string(),
      traceState: z.string(),
      flags: z.number(),
      attributes: z.record(z.string(), z.string()),
    }),
  ),
  events: z.array(z.object({ at: timeOut, name: z.string(), attributes: z.record(z.string(), z.string()) })),
});
/** Spans in order of start. `missing` counts parents that are named but not there. */
export const traceResponse = z.object({ traceId: z.string(), spans: z.array(spanItem), missing: z.number() });
export type TraceResponse = z.infer<typeof traceResponse>;
