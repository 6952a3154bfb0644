import { z } from 'zod';

export const errorResponse = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    path: z.string().optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    hint: z.string().optional(),
  }),
});
export type ErrorResponse = z.infer<typeof errorResponse>;
