import { z } from 'zod';
import { parseDuration } from '../../../model/index.ts';

/** Prometheus' duration text, as milliseconds. */
const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as 15s or 1m` });
  return z.NEVER;
});

const SIZE_UNITS: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }; // biome-ignore format: a table

/** Prometheus' size text, as bytes; both spellings of a unit are powers of 1024, as there. 0 is no limit of its own. */
const size = z.union([z.number(), z.string()]).transform((given, context) => {
  const match = /^(\d+)\s*([KMG]i?B|B)?$/.exec(String(given));
  if (match) return Number(match[1]) * (SIZE_UNITS[match[2] ?? 'B'] ?? 1);
  context.addIssue({ code: 'custom', message: `"${given}" is not a size such as 10MB` });
  return z.NEVER;
});

const labelName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'is not a label name');

const staticConfig = z.strictObject({
  targets: z.array(z.string().regex(/^[^/\s]+$/, 'is an address such as host:9100, without scheme or path')),
  labels: z.record(labelName, z.string()).default({}),
});

/** The keys of Prometheus' `scrape_configs` that are understood, under its names and with its defaults. */
export const scrapeConfigSchema = z
  .strictObject({
    job_name: z.string().min(1),
    scrape_interval: duration.default(60_000),
    scrape_timeout: duration.optional(),
    metrics_path: z.string().default('/metrics'),
    scheme: z.enum(['http', 'https']).default('http'),
    params: z.record(z.string(), z.array(z.string())).default({}),
    static_configs: z.array(staticConfig).default([]),
    honor_labels: z.boolean().default(false),
    honor_timestamps: z.boolean().default(true),
    sample_limit: z.int().min(0).default(0),
    body_size_limit: size.default(0),
  })
  .refine((config) => (config.scrape_timeout ?? 0) <= config.scrape_interval, {
    path: ['scrape_timeout'],
    message: 'is longer than scrape_interval',
  });

/** One scrape configuration, durations in milliseconds, sizes in bytes. */
export type ScrapeConfig = z.infer<typeof scrapeConfigSchema>;
