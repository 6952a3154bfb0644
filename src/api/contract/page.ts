import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds. */
export const timeOut = z.iso.datetime();

/** A time in a request: RFC 3339, epoch seconds, `now` or `now-15m`. Parsed by `parseTime` of the model. */
export const timeIn = z.string().min(1).max(64);

export const rangeQuery = z.object({ from: timeIn.optional(), to: timeIn.optional() });

/** Query parameters that page through a list. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(5000).default(500),
  cursor: z.string().max(512).optional(),
});

/** One page of a list; `next` is the cursor of the following one, null on the last. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}
