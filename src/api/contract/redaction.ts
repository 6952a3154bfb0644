import { z } from 'zod';
import { timeOut } from './page.ts';

export const redactionResponse = z.object({
  prompts: z.enum(['mask', 'keep']),
  rules: z.array(
    z.object({
      name: z.string(),
      source: z.enum(['built-in', 'user']),
      on: z.boolean(),
      /** One sentence: what it hides. */
      hides: z.string(),
      /** Texts in which it hid something since the server started. */
      count: z.number(),
      last: timeOut.optional(),
    }),
  ),
});
export type RedactionResponse = z.infer<typeof redactionResponse>;

export const redactionTest = z.strictObject({ text: z.string().max(64 * 1024) });

/** What would be written of a text. Nothing of it is stored, counted or logged. */
export const redactionTestResponse = z.object({
  text: z.string(),
  /** Where the rules found something: UTF-16 offsets in the text that was sent, `end` exclusive, in order, not overlapping. */
  matches: z.array(z.object({ rule: z.string(), start: z.number(), end: z.number() })),
});
export type RedactionTestResponse = z.infer<typeof redactionTestResponse>;
