import type { EntityRef } from '../../model/index.ts';
import type { Hypothesis } from './check.ts';
import { clamp } from './robust.ts';
import type { Symptom } from './symptom.ts';

/** A hypothesis weighed against the symptom of the focus it was found in. */
export interface Ranked {
  hypothesis: Hypothesis;
  /** From the focus to the subject of the investigation. */
  path: readonly EntityRef[];
  score: number;
  /** Share of the symptom's excess on the pods that the cause can slow; undefined where the symptom has no split. */
  explained: number | undefined;
}

/** Below this a hypothesis is a suspicion, and suspicions accuse nobody. */
export const LEAST_SCORE = 0.5;
/** Further causes must come this near to the first. */
const NEAR_BEST = 0.6;
/** Hardware shows in software, not the other way round: it may score this much lower and still be the reason. */
const DEEPER_WINS = 0.7;
const TIMING_SLACK_MS = 60_000;
const LATE_MS = 120_000;
const LONG_BEFORE_MS = 20 * 60_000;

export function weigh(hypothesis: Hypothesis, symptom: Symptom, path: readonly EntityRef[]): Ranked {
  const { explained, precision } = overlap(hypothesis, symptom);
  const score =
    hypothesis.strength *
    (0.3 + 0.7 * (explained ?? 0.85)) *
    (0.6 + 0.4 * (precision ?? 0.9)) *
    timing(hypothesis, symptom);
  return { hypothesis, path, score: clamp(score, 0, 1), explained };
}

/** How much of the symptom lies on the cause's pods, and how many of those pods show it. */
function overlap({ pods }: Hypothesis, { impacts }: Symptom): { explained?: number; precision?: number } {
  const affected = impacts.filter((impact) => impact.affected);
  if (affected.length === 0) return {};
  if (pods === undefined) return { explained: 1, precision: affected.length / impacts.length };
  const within = impacts.filter((impact) => pods.includes(impact.pod));
  const hit = within.filter((impact) => impact.affected);
  return {
    explained: within.reduce((total, impact) => total + impact.share, 0),
    precision: within.length > 0 ? hit.length / within.length : 0,
  };
}

/** A cause comes first. What begins clearly later is a consequence; what began long before explains less why now. */
function timing({ since }: Hypothesis, { onset }: Symptom): number {
  if (since === undefined || !Number.isFinite(since) || !onset) return 0.9;
  const late = since - onset.high - TIMING_SLACK_MS;
  if (late > 0) return Math.exp(-late / LATE_MS);
  return onset.low - since > LONG_BEFORE_MS ? 0.8 : 1;
}

/** Causes worth naming, best first: strong enough, and not merely another view of a better one. */
export function select(ranked: readonly Ranked[], symptom: Symptom): Ranked[] {
  const strong = ranked.filter(({ score }) => score >= LEAST_SCORE).sort((a, b) => b.score - a.score);
  const kept = strong.filter(
    (candidate) => !strong.some((other) => other !== candidate && dominates(other, candidate, symptom)),
  );
  const best = kept[0]?.score ?? 0;
  return kept.filter(({ score }) => score >= best * NEAR_BEST);
}

/** One cause explains another when it covers the other's pods and wins against it. */
function dominates(a: Ranked, b: Ranked, symptom: Symptom): boolean {
  return covers(a, b, symptom) && wins(a, b);
}

/** Of two explanations of the same, the deeper one that began no later, unless it is much weaker; else the stronger. */
function wins(a: Ranked, b: Ranked): boolean {
  if (isDeeper(a, b)) return a.score >= b.score * DEEPER_WINS;
  if (isDeeper(b, a) && b.score >= a.score * DEEPER_WINS) return false;
  return a.score > b.score;
}

function isDeeper(a: Ranked, b: Ranked): boolean {
  const earlier = (a.hypothesis.since ?? 0) <= (b.hypothesis.since ?? Number.POSITIVE_INFINITY) + TIMING_SLACK_MS;
  return earlier && depth(a.hypothesis.entity) > depth(b.hypothesis.entity);
}

/** Whether all affected pods that `b` can reach are within reach of `a`. A cause further down the calls covers the call itself. */
function covers(a: Ranked, b: Ranked, { impacts }: Symptom): boolean {
  if (b.hypothesis.mechanism === 'dependency-slow') return a.path.includes(b.hypothesis.entity);
  const reach = ({ hypothesis }: Ranked) =>
    impacts.filter((impact) => impact.affected && (hypothesis.pods?.includes(impact.pod) ?? true));
  const reachable = new Set(reach(a));
  const theirs = reach(b);
  if (theirs.length === 0) return a.path[0] === b.path[0];
  return theirs.every((impact) => reachable.has(impact)) && a.path[0] === b.path[0];
}

/** Order of causation from what hardware does to what software shows. */
function depth(entity: EntityRef): number {
  const kind = entity.slice(0, entity.indexOf(':'));
  return (
    { gpu: 4, link: 4, node: 3, volume: 3, storage: 3, cluster: 3, workload: 2, service: 1, dependency: 1, pod: 1 }[
      kind
    ] ?? 0
  );
}
