import { z } from 'zod';
import { timeIn, timeOut } from './page.ts';

export const investigationRequest = z.strictObject({
  subject: z.string().max(1024),
  symptom: z.enum(['latency', 'errors', 'throughput', 'availability']).optional(),
  from: timeIn,
  to: timeIn,
  baseline: z.strictObject({ from: timeIn, to: timeIn }).optional(),
});
export type InvestigationRequestBody = z.infer<typeof investigationRequest>;

const range = z.object({ from: timeOut, to: timeOut });
const evidenceIds = z.array(z.string());

export const evidence = z.object({
  id: z.string(),
  signal: z.string(),
  entity: z.string(),
  query: z.object({
    language: z.enum(['promql', 'logql', 'traceql', 'api']),
    text: z.string(),
    from: timeOut,
    to: timeOut,
    step: z.number(),
  }),
  before: z.number().nullable(),
  during: z.number().nullable(),
  unit: z.string(),
  role: z.enum(['supports', 'contradicts']),
});

export const cause = z.object({
  entity: z.string(),
  mechanism: z.string(),
  layer: z.enum(['infrastructure', 'kubernetes', 'serving', 'telemetry', 'application']),
  score: z.number(),
  since: timeOut,
  summary: z.string(),
  chain: z.array(z.string()),
  change: z.object({ id: z.string(), at: timeOut, entity: z.string(), summary: z.string() }).optional(),
  evidence: evidenceIds,
});

export const finding = z.object({
  severity: z.enum(['info', 'warning', 'critical']),
  entity: z.string(),
  summary: z.string(),
  evidence: evidenceIds,
});

export const answer = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['ok', 'problem', 'unknown', 'not-applicable']),
  summary: z.string(),
  findings: z.array(finding),
});

/** The whole result. `state` is `running` while a long one is still at work; then only id, subject, symptom, window are there. */
export const investigation = z.object({
  id: z.string(),
  state: z.literal('done'),
  createdAt: timeOut,
  subject: z.string(),
  symptom: z.enum(['latency', 'errors', 'throughput', 'availability']),
  window: range,
  baseline: range,
  onset: z.object({ at: timeOut, low: timeOut, high: timeOut }).nullable(),
  verdict: z.enum(['cause-found', 'no-fault', 'benign', 'cannot-tell']),
  headline: z.string(),
  confidence: z.number(),
  causes: z.array(cause),
  questions: z.array(answer),
  phases: z.array(
    z.object({
      phase: z.string(),
      before: z.number().nullable(),
      during: z.number().nullable(),
      share: z.number().nullable(),
    }),
  ),
  subsets: z.array(
    z.object({
      ref: z.string(),
      attribute: z.string(),
      value: z.string(),
      before: z.number().nullable(),
      during: z.number().nullable(),
      lift: z.number().nullable(),
    }),
  ),
  evidence: z.array(evidence),
  ruledOut: z.array(
    z.object({ mechanism: z.string(), entity: z.string(), because: z.string(), evidence: evidenceIds }),
  ),
  unseen: z.array(z.object({ signal: z.string(), entity: z.string(), why: z.string(), fix: z.string() })),
  trust: z.array(z.object({ source: z.string(), freshnessSeconds: z.number(), gaps: z.number(), dropped: z.number() })),
  next: z.array(
    z.object({
      text: z.string(),
      link: z.string().optional(),
      runbook: z.string().optional(),
      action: z.string().optional(),
    }),
  ),
  cost: z.object({ queries: z.number(), seconds: z.number() }),
  tookMs: z.number(),
});
export type InvestigationBody = z.infer<typeof investigation>;

export const investigationRunning = z.object({ id: z.string(), state: z.literal('running') });
export const investigationFailed = z.object({ id: z.string(), state: z.literal('failed'), message: z.string() });

export const investigationSummary = z.object({
  id: z.string(),
  createdAt: timeOut,
  subject: z.string(),
  symptom: z.string(),
  verdict: z.string(),
  headline: z.string(),
  confidence: z.number(),
});
export const investigationsResponse = z.object({ items: z.array(investigationSummary), next: z.string().nullable() });
export type InvestigationsResponse = z.infer<typeof investigationsResponse>;
