import { z } from 'zod';
import { timeOut } from './page.ts';

/** One that delivers: a sender at a door, a scrape target, or a watched resource, with one cluster's signals. */
const telemetrySource = z.object({
  cluster: z.string(),
  /** What delivers: `otlp`, `remote-write`, `loki`, `fluent-bit`, `scrape`, `kubernetes`, `import`. */
  kind: z.string(),
  /** The sender (address and product), a scrape job and target, a watched resource; `other senders` gathers what is beyond 500. */
  name: z.string(),
  state: z.enum(['connected', 'lagging', 'silent', 'refused']),
  lastSeen: timeOut.nullable(),
  /** How old the newest signal was when it arrived. */
  lagSeconds: z.number().nullable(),
  /** Pauses between deliveries that were far longer than usual. */
  gaps: z.number(),
  /** Signals per second over the last minute. */
  perSecond: z.number(),
  /** Since the server started. */
  requests: z.number(),
  items: z.number(),
  bytes: z.number(),
  /** Signals that were not stored. */
  dropped: z.number(),
  /** Requests that had been stored before and were answered from memory. */
  repeated: z.number(),
  /** Signals per minute of the last hour, the running minute last; 60 numbers. */
  perMinute: z.array(z.number()),
  usualPauseSeconds: z.number().nullable(),
  /** Why it is not connected, and what to do. */
  message: z.string().optional(),
});

/** What was not stored, by reason. Reasons are those of `trifocal_ingest_dropped_total`. */
const telemetryDrop = z.object({
  reason: z.string(),
  signal: z.string(),
  protocol: z.string(),
  count: z.number(),
  /** Over the last five minutes. */
  perSecond: z.number(),
  since: timeOut,
  last: timeOut,
  example: z.string().optional(),
  /** Whose signal it was the last time. */
  sender: z.string().optional(),
  /** The label with the most values, when series were too many. */
  label: z.string().optional(),
  /** What to do about it. */
  fix: z.string(),
});

/** How long the turns of a thread's event loop were delayed over the last minute. */
const loopDelay = z.object({
  thread: z.enum(['main', 'ingest']),
  p50Seconds: z.number(),
  p99Seconds: z.number(),
  maxSeconds: z.number(),
});

export const telemetryResponse = z.object({
  sources: z.array(telemetrySource),
  dropped: z.array(telemetryDrop),
  tables: z.array(
    z.object({ name: z.string(), rows: z.number(), bytes: z.number(), kind: z.enum(['signal', 'system']) }),
  ),
  series: z.number(),
  spool: z.object({
    bytes: z.number(),
    maxBytes: z.number(),
    oldestSeconds: z.number(),
    /** Files of rows that the store refused or the disk damaged, kept in `spool/refused`. */
    refusedFiles: z.number(),
    state: z.enum(['ok', 'behind', 'full', 'disk-refuses']),
    message: z.string().optional(),
  }),
  store: z.object({ up: z.boolean(), since: timeOut }),
  loops: z.array(loopDelay),
});
export type TelemetryResponse = z.infer<typeof telemetryResponse>;

/** Something that makes answers stale or incomplete now: one line of the banner that every page shows. */
export const trouble = z.object({
  /** The same as long as it is the same trouble: `store-down`, `spool-full`, `source-silent otlp prod-eu 10.0.0.7`. */
  id: z.string(),
  severity: z.enum(['warning', 'critical']),
  since: timeOut,
  cluster: z.string().optional(),
  /** The name of the source, where it is about one. */
  source: z.string().optional(),
  /** One sentence: what is wrong and what it means for what is seen. */
  words: z.string(),
  /** One sentence: what to do. */
  fix: z.string(),
});
export type Trouble = z.infer<typeof trouble>;

/** What the running server is: for the page's shell. */
export const statusResponse = z.object({
  version: z.string(),
  startedAt: timeOut,
  now: timeOut,
  /** `starting` while the simulated estate's past is still coming in. */
  demo: z.enum(['off', 'starting', 'live', 'failed']),
  clusters: z.array(z.string()),
  storeUp: z.boolean(),
  /** Critical first; empty when all is well. */
  trouble: z.array(trouble),
});
export type StatusResponse = z.infer<typeof statusResponse>;
