import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { nearest } from '../../base/index.ts';
import {
  checkUserPattern,
  defaultCardinalityLimits,
  defaultLogLimits,
  defaultRateLimits,
  RULES,
} from '../../ingest/index.ts';
import { parseDuration } from '../../model/index.ts';

/** What `trifocal.yaml` may hold. Keys of features that do not exist yet are in `PLANNED_KEYS`, so that the error can say so. */

/** `15s`, `7d`. Kept in milliseconds. */
const duration = z.union([z.string(), z.number()]).transform((text, context) => {
  const ms = typeof text === 'string' ? parseDuration(text) : text * 1000;
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: notADuration(text) });
  return z.NEVER;
});

/** A duration or one word of its own, such as `forever`. */
const durationOr = <W extends string>(word: W) =>
  z.union([z.string(), z.number()]).transform((text, context): number | W => {
    if (text === word) return word;
    const ms = typeof text === 'string' ? parseDuration(text) : text * 1000;
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: notADuration(text, `, or ${word}`) });
    return z.NEVER;
  });

function notADuration(text: unknown, also = ''): string {
  return `${JSON.stringify(text)} is not a duration; write for example 15s, 10m, 7d${also}`;
}

const SIZE_UNITS: Record<string, number> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
};

/** `20MiB`, `2GiB`, or a number of bytes. */
const bytes = z.union([z.string(), z.number().int().positive()]).transform((text, context) => {
  if (typeof text === 'number') return text;
  const match = /^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|KB|MB|GB)$/.exec(text);
  const unit = SIZE_UNITS[match?.[2] ?? ''];
  if (match && unit) return Math.round(Number(match[1]) * unit);
  context.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is not a size; write for example 20MiB or 2GiB`,
  });
  return z.NEVER;
});

/** `host:port`; port 0 takes any free one. IPv6 hosts stand in brackets. */
const address = z.string().transform((text, context) => {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] && port <= 65_535) return { host: match[1].replace(/^\[|\]$/g, ''), port };
  context.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is not an address; write host:port, for example 127.0.0.1:4319`,
  });
  return z.NEVER;
});
export type Address = z.output<typeof address>;

/** Of a door: as long as there is no `access`, none for other machines. */
const ownAddress = address.superRefine(({ host }, context) => {
  if (host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)) return;
  const message = `${host} is reachable from other machines, which needs \`access\`; this version has none, so listen on 127.0.0.1 and put a proxy with authentication in front`;
  context.addIssue({ code: 'custom', message });
});

/** `~/` is the home folder, as in a shell. A file that is not there is told now rather than at the first connection. */
const existingFile = z.string().transform((text, context) => {
  const file = text.startsWith('~/') ? join(homedir(), text.slice(2)) : text;
  if (existsSync(file)) return file;
  context.addIssue({ code: 'custom', message: `there is no file ${file}` });
  return z.NEVER;
});

/**
 * An object that lives unchanged is written again every two days, and retention drops whole days: with less
 * than this, it would be gone before it is written again.
 */
const LEAST_OBJECTS_MS = 4 * 86_400_000;
const objectRetention = durationOr('forever').refine((time) => time === 'forever' || time >= LEAST_OBJECTS_MS, {
  message: 'too short; objects need 4d at least, since unchanged ones are written again only every two days',
});

const kubernetes = z.union([
  z.strictObject({ url: z.url(), token: z.string().exactOptional(), ca: z.string().exactOptional() }),
  z.strictObject({ kubeconfig: existingFile, context: z.string().exactOptional() }),
  z.strictObject({ inCluster: z.literal(true) }),
]);

const count = z.number().int().positive();

/** Per second. */
const countOrOff = z.union([z.string(), z.number()]).transform((given, context): number | 'off' => {
  if (given === 'off') return given;
  if (typeof given === 'number' && given > 0) return given;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(given)} is not a number per second, or off` });
  return z.NEVER;
});
const bytesOrOff = z.union([z.string(), z.number()]).transform((text, context): number | 'off' => {
  if (text === 'off') return 'off';
  const parsed = bytes.safeParse(text);
  if (parsed.success) return parsed.data;
  context.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is not a size per second; write for example 10MiB, or off`,
  });
  return z.NEVER;
});
const burst = duration.refine((ms) => ms >= 1000, { message: 'too short; a burst is 1s at least' });

/** The names of the built-in rules, for `allow`. */
const ruleName = z.string().transform((name, context): keyof typeof RULES => {
  const found = RULE_NAMES.find((rule) => rule === name);
  if (found !== undefined) return found;
  const suggestion = nearest(name, RULE_NAMES);
  const hint = suggestion ? `; did you mean ${suggestion}?` : `; the rules are ${RULE_NAMES.join(', ')}`;
  context.addIssue({ code: 'custom', message: `there is no rule ${JSON.stringify(name)}${hint}` });
  return z.NEVER;
});
const RULE_NAMES = Object.keys(RULES) as (keyof typeof RULES)[]; // an object literal has just these

const MOST_PATTERNS = 100;
const userPattern = z
  .strictObject({ name: z.string(), literal: z.string(), pattern: z.string().min(1).max(2000) })
  .superRefine((pattern, context) => {
    for (const { key, message } of checkUserPattern(pattern)) {
      context.addIssue({ code: 'custom', path: [key], message });
    }
  });
const userPatterns = z
  .array(userPattern)
  .max(MOST_PATTERNS)
  .superRefine((patterns, context) => {
    for (const [index, pattern] of patterns.entries()) {
      if (patterns.findIndex(({ name }) => name === pattern.name) < index) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `${pattern.name} is given twice` });
      }
    }
  });

export function clusterSchema<S extends z.ZodType>(scrapeConfigs: S) {
  return z.strictObject({
    name: z.string().min(1).max(253),
    kubernetes: kubernetes.optional(),
    scrape_configs: scrapeConfigs.optional(),
  });
}

/** Builds the schema; the scraper's part comes from the scraper, so that each part declares its own keys. */
export function configSchema<S extends z.ZodType>(scrapeConfigs: S) {
  return z.strictObject({
    listen: z
      .strictObject({
        http: ownAddress.prefault('127.0.0.1:4319'),
        otlpHttp: ownAddress.prefault('127.0.0.1:4318'),
        otlpGrpc: ownAddress.prefault('127.0.0.1:4317'),
      })
      .prefault({}),
    data: z.string().min(1).default('./data'),
    store: z
      .strictObject({
        embedded: z.strictObject({ memory: bytes.prefault('2GiB') }).prefault({}),
        spool: bytes.prefault('2GiB'),
        reserve: bytes.prefault('256MiB'),
      })
      .prefault({}),
    clusters: z.array(clusterSchema(scrapeConfigs)).default([]),
    ingest: z
      .strictObject({
        accept: z
          .strictObject({ past: durationOr('any').prefault('7d'), future: duration.prefault('10m') })
          .prefault({}),
        maxBody: bytes.prefault('20MiB'),
      })
      .prefault({}),
    retention: z
      .strictObject({
        // Left out, they follow from what is taken in: see retention.ts.
        metrics: durationOr('forever').exactOptional(),
        logs: durationOr('forever').exactOptional(),
        traces: durationOr('forever').exactOptional(),
        objects: objectRetention.prefault('90d'),
      })
      .prefault({}),
    limits: z
      .strictObject({
        series: count.default(defaultCardinalityLimits.series),
        perCluster: count.default(defaultCardinalityLimits.perCluster),
        perMetric: count.default(defaultCardinalityLimits.perMetric),
        labels: count.default(defaultCardinalityLimits.labels),
        labelName: count.default(defaultCardinalityLimits.labelName),
        labelValue: count.default(defaultCardinalityLimits.labelValue),
        line: bytes.prefault(defaultLogLimits.line),
        streamLabels: count.default(defaultLogLimits.streamLabels),
        rate: z
          .strictObject({
            samples: countOrOff.prefault(defaultRateLimits.samples),
            lines: countOrOff.prefault(defaultRateLimits.lines),
            spans: countOrOff.prefault(defaultRateLimits.spans),
            bytes: bytesOrOff.prefault(defaultRateLimits.bytes),
            burst: burst.prefault(`${defaultRateLimits.burstSeconds}s`),
          })
          .prefault({}),
        query: z
          .strictObject({
            time: duration.prefault('30s'),
            memory: bytes.prefault('1GiB'),
            samples: z.number().int().positive().default(50_000_000),
          })
          .prefault({}),
      })
      .prefault({}),
    redaction: z
      .strictObject({
        prompts: z.enum(['mask', 'keep']).default('mask'),
        allow: z.array(ruleName).default([]),
        patterns: userPatterns.default([]),
      })
      .prefault({}),
    /** Of Trifocal itself: where its own traces go, as the base of an OTLP/HTTP address. */
    telemetry: z
      .strictObject({
        traces: z.strictObject({ endpoint: z.url({ protocol: /^https?$/ }).exactOptional() }).prefault({}),
      })
      .prefault({}),
    log: z
      .strictObject({
        level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
        format: z.enum(['text', 'json']).default('text'),
      })
      .prefault({}),
    demo: z
      .strictObject({
        enabled: z.boolean().default(false),
        fault: z.enum(['gpu-thermal-throttle', 'none']).default('gpu-thermal-throttle'),
        faultStarted: duration.prefault('15m'),
        history: duration.prefault('1h'),
        seed: z.number().int().nonnegative().default(1),
      })
      .prefault({}),
  });
}

/** Keys of the design whose feature is not in this version. */
export const PLANNED_KEYS: ReadonlySet<string> = new Set([
  'listen.tls', 'store.clickhouse', 'records', 'clusters.metrics', 'clusters.logs', 'clusters.traces', 'rules', 'slos',
  'runbooks', 'catalogue', 'retention.rollups', 'sampling', 'access', 'notify', 'remediation', 'cost',
]); // biome-ignore format: a list to read
