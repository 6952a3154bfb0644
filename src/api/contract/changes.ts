import { z } from 'zod';
import { rangeQuery, timeOut } from './page.ts';

export const change = z.object({
  id: z.string(),
  at: timeOut,
  entity: z.string(),
  kind: z.string(),
  actor: z.string().optional(),
  before: z.string(),
  after: z.string(),
  summary: z.string(),
  group: z.string(),
});
export type ChangeItem = z.infer<typeof change>;

/** `entity` narrows to one entity and what it contains or stands on. Newest first. */
export const changesQuery = rangeQuery.extend({
  entity: z.string().optional(),
  cluster: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export const changesResponse = z.array(change);
export type ChangesResponse = z.infer<typeof changesResponse>;

/** A Kubernetes event. */
export const event = z.object({
  at: timeOut,
  entity: z.string(),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  source: z.string(),
});
export const eventsResponse = z.object({ items: z.array(event) });
export type EventsResponse = z.infer<typeof eventsResponse>;
