import { z } from 'zod';
import { ENTITY_KINDS } from '../../model/index.ts';
import { pageOf, pageQuery, timeIn, timeOut } from './page.ts';

export const healthStatus = z.enum(['ok', 'degraded', 'failing', 'unknown', 'idle', 'gone']);
export const health = z.object({ status: healthStatus, reasons: z.array(z.string()) });

export const entitySummary = z.object({
  ref: z.string(),
  uid: z.string(),
  kind: z.enum(ENTITY_KINDS),
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  health,
  labels: z.record(z.string(), z.string()),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  parents: z.array(z.string()),
  children: z.array(z.string()),
  createdAt: timeOut.optional(),
});
export type EntitySummary = z.infer<typeof entitySummary>;

export const entitiesQuery = pageQuery.extend({
  kind: z.enum(ENTITY_KINDS).optional(),
  cluster: z.string().optional(),
  namespace: z.string().optional(),
  q: z.string().max(256).optional(),
  at: timeIn.optional(),
});
export const entitiesResponse = pageOf(entitySummary);
export type EntitiesResponse = z.infer<typeof entitiesResponse>;

export const gpuAllocation = z.object({
  container: z.string(),
  share: z.number(),
  confidence: z.enum(['exact', 'shared', 'inferred', 'unknown']),
});
export const gpuDetail = z.object({
  uuid: z.string(),
  index: z.string(),
  node: z.string(),
  model: z.string(),
  memoryBytes: z.number().nullable(),
  mig: z.array(z.string()),
  allocations: z.array(gpuAllocation),
  unreadable: z.array(z.object({ signal: z.string(), reason: z.string() })),
  xid: z.array(
    z.object({ code: z.number(), firstSeen: timeOut, lastChange: timeOut, class: z.string(), action: z.string() }),
  ),
});
export const relation = z.object({
  kind: z.enum(['contains', 'runs-on', 'uses', 'calls', 'serves', 'selects']),
  from: z.string(),
  to: z.string(),
  confidence: z.enum(['exact', 'shared', 'inferred', 'unknown']),
  share: z.number().optional(),
});
/** One entity with its neighbourhood: `related` holds summaries of every entity that a relation names. */
export const entityDetail = entitySummary.extend({
  at: timeOut,
  relations: z.array(relation),
  related: z.array(entitySummary),
  gpu: gpuDetail.optional(),
});
export type EntityDetail = z.infer<typeof entityDetail>;
export const entityQuery = z.object({ at: timeIn.optional() });

/** Which canonical signals an entity has, and how to get the missing ones. */
export const coverageResponse = z.object({
  items: z.array(
    z.object({ signal: z.string(), present: z.boolean(), source: z.string().optional(), fix: z.string().optional() }),
  ),
});
export type CoverageResponse = z.infer<typeof coverageResponse>;
