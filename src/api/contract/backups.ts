import { z } from 'zod';

/** A file in the server's own `backups` folder; never a path. */
export const restoreRequest = z.object({
  backup: z.string().regex(/^[\w][\w.-]{0,200}$/, 'the name of a file in the backups folder, without a path'),
  /** Add it to what the server holds already. */
  add: z.boolean().default(false),
});

export const restoreResponse = z.object({
  createdAt: z.string(),
  version: z.string(),
  tables: z.array(z.object({ name: z.string(), rows: z.number(), bytes: z.number() })),
});
export type RestoreResponse = z.infer<typeof restoreResponse>;
