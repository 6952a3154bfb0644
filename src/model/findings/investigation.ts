import type { Change, EntityRef } from '../estate/index.ts';
import type { TimeRange } from '../time.ts';
import type { CauseLayer, Mechanism } from './mechanism.ts';
import type { QuestionId } from './question.ts';

export type SymptomKind = 'latency' | 'errors' | 'throughput' | 'availability';
export type Verdict = 'cause-found' | 'no-fault' | 'benign' | 'cannot-tell';
export type Severity = 'info' | 'warning' | 'critical';
export type AnswerStatus = 'ok' | 'problem' | 'unknown' | 'not-applicable';
export type Phase = 'gateway' | 'routing' | 'queue' | 'prefill' | 'decode' | 'retrieval' | 'tool' | 'network' | 'other';

export interface InvestigationRequest {
  subject: EntityRef;
  symptom?: SymptomKind;
  window: TimeRange;
  /** Left out: a stretch before the onset. */
  baseline?: TimeRange;
}

/** The result of one investigation. Times are milliseconds since the epoch, durations seconds. */
export interface Investigation {
  id: string;
  subject: EntityRef;
  symptom: SymptomKind;
  window: TimeRange;
  baseline: TimeRange;
  onset: Onset | undefined;
  verdict: Verdict;
  headline: string;
  confidence: number;
  causes: Cause[];
  questions: Answer[];
  phases: PhaseShare[];
  subsets: Subset[];
  evidence: Evidence[];
  ruledOut: RuledOut[];
  unseen: Unseen[];
  trust: Trust[];
  next: NextStep[];
  cost: { queries: number; seconds: number };
  tookMs: number;
}

/** When the symptom began: an estimate and the interval it lies in. */
export interface Onset {
  at: number;
  low: number;
  high: number;
}

export interface Cause {
  entity: EntityRef;
  mechanism: Mechanism;
  layer: CauseLayer;
  /** 0 to 1. */
  score: number;
  since: number;
  summary: string;
  /** From the cause to the subject. */
  chain: EntityRef[];
  change?: Change;
  evidence: string[];
}

export interface Answer {
  id: QuestionId;
  status: AnswerStatus;
  summary: string;
  findings: Finding[];
}

export interface Finding {
  severity: Severity;
  entity: EntityRef;
  summary: string;
  evidence: string[];
}

export interface Evidence {
  id: string;
  /** Canonical signal, or `events`, `changes`, `logs`, `spans`. */
  signal: string;
  entity: EntityRef;
  query: { language: 'promql' | 'logql' | 'traceql' | 'api'; text: string; from: number; to: number; step: number };
  before: number | undefined;
  during: number | undefined;
  unit: string;
  role: 'supports' | 'contradicts';
}

export interface PhaseShare {
  phase: Phase;
  /** Seconds. */
  before: number;
  during: number;
  /** Share of the whole change that this phase explains. */
  share: number;
}

export interface Subset {
  ref: EntityRef;
  attribute: string;
  value: string;
  before: number;
  during: number;
  lift: number;
}

export interface RuledOut {
  mechanism: Mechanism;
  entity: EntityRef;
  because: string;
  evidence: string[];
}

export interface Unseen {
  signal: string;
  entity: EntityRef;
  why: string;
  fix: string;
}

export interface Trust {
  source: string;
  freshnessSeconds: number;
  gaps: number;
  dropped: number;
}

export interface NextStep {
  text: string;
  link?: string;
  runbook?: string;
  action?: string;
}
