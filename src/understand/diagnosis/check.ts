import type {
  AnswerStatus, Change, Entity, EntityRef, EstateSnapshot, Mechanism, QuestionId, Severity,
} from '../../model/index.ts'; // biome-ignore format: one list
import type { Focus } from './focus.ts';
import type { Needs, Readings } from './need.ts';
import type { Reading } from './reading.ts';
import type { Symptom } from './symptom.ts';
import type { Frame } from './window.ts';

/** One question about one focus: the evidence it needs, as data, and a pure function that judges it. */
export interface Check<N extends Needs = Needs> {
  question: QuestionId;
  needs: N;
  judge(context: CheckContext, readings: { readonly [K in keyof N]: Readings }): Judgement;
}

export interface CheckContext {
  focus: Focus;
  frame: Frame;
  symptom: Symptom;
  estate: EstateSnapshot;
  /** Everything that changed from the start of the frame to its end, oldest first. */
  changes: readonly Change[];
  /** What the focus calls, each with its own symptom. */
  callees: readonly { entity: Entity; symptom: Symptom }[];
}

export interface Judgement {
  status: AnswerStatus;
  /** The answer in one sentence. */
  summary: string;
  findings: readonly FoundFact[];
  hypotheses: readonly Hypothesis[];
  ruledOut: readonly Excluded[];
}

export interface FoundFact {
  severity: Severity;
  entity: EntityRef;
  summary: string;
  cites: readonly Cite[];
}

/** A possible cause as a check sees it, before it is weighed against the symptom. */
export interface Hypothesis {
  mechanism: Mechanism;
  entity: EntityRef;
  /** 0 to 1: how completely the mechanism's own signals moved as they must, and none as it must not. */
  strength: number;
  /** When the cause itself began; undefined when that can't be said. */
  since: number | undefined;
  /** The pods it can slow; undefined means all of the focus. */
  pods: readonly EntityRef[] | undefined;
  /** From the cause to the focus, the cause first; the focus is added. */
  via: readonly EntityRef[];
  summary: string;
  cites: readonly Cite[];
  change?: Change;
}

export interface Excluded {
  mechanism: Mechanism;
  entity: EntityRef;
  because: string;
  cites: readonly Cite[];
}

export interface Cite {
  reading: Reading;
  role: 'supports' | 'contradicts';
}

export function defineCheck<const N extends Needs>(check: Check<N>): Check {
  return check;
}

export function supports(...readings: readonly (Reading | undefined)[]): Cite[] {
  return readings.flatMap((reading) => (reading ? [{ reading, role: 'supports' as const }] : []));
}

export function contradicts(...readings: readonly (Reading | undefined)[]): Cite[] {
  return readings.flatMap((reading) => (reading ? [{ reading, role: 'contradicts' as const }] : []));
}

/** What a check about GPUs says of something that uses none. */
export const NO_GPU: Judgement = {
  status: 'not-applicable',
  summary: 'It uses no GPU that Trifocal knows of.',
  findings: [],
  hypotheses: [],
  ruledOut: [],
};
