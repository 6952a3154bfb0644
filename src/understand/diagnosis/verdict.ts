import type { EntityRef, EstateSnapshot, Unseen, Verdict } from '../../model/index.ts';
import type { Ranked } from './rank.ts';
import { clamp } from './robust.ts';
import { causeHeadline, symptomClause } from './say.ts';
import type { Symptom } from './symptom.ts';
import type { Station } from './walk.ts';
import type { Frame } from './window.ts';
import { nameOf } from './words.ts';

/** A latency that grew by less, within the objective and with nothing wrong to be found, is ordinary life. */
const SMALL_MOVE = 1.5;

export function verdictOf(
  symptom: Symptom,
  likely: readonly Ranked[],
  stations: readonly Station[],
  frame: Frame,
): Verdict {
  if (symptom.state === 'blind') return 'cannot-tell';
  if (symptom.state === 'quiet') return 'no-fault';
  const [top] = likely;
  if (symptom.state === 'uneven') return top ? 'cause-found' : 'no-fault';
  const kept = symptom.objective?.met !== false && symptom.kind === 'latency';
  const over = symptom.endMs < frame.to - frame.step;
  const demand = stations[0]?.judged.find(({ check }) => check.question === 'demand')?.judgement;
  const busier = (demand?.findings.length ?? 0) > 0;
  const changed = stations[0]?.judged.some(
    ({ check, judgement }) => check.question === 'changes' && judgement.findings.length > 0,
  );
  // What passed by itself within the objective, or grew with demand and stayed within it, only looks bad.
  if (kept && top && ((over && top.hypothesis.change) || top.hypothesis.mechanism === 'demand-burst')) return 'benign';
  if (top) return 'cause-found';
  if (!kept) return 'cannot-tell';
  if (busier || (over && changed)) return 'benign';
  return over || movedBy(symptom) < SMALL_MOVE ? 'no-fault' : 'cannot-tell';
}

function movedBy({ shift }: Symptom): number {
  return shift && shift.before > 0 ? shift.during / shift.before : Number.POSITIVE_INFINITY;
}

export function headlineOf(
  verdict: Verdict,
  symptom: Symptom,
  top: Ranked | undefined,
  unseen: readonly Unseen[],
  estate: EstateSnapshot,
  subject: EntityRef,
): string {
  const name = nameOf(estate, subject);
  const clause = symptomClause(symptom, estate);
  switch (verdict) {
    case 'cause-found':
      return top ? causeHeadline(top, symptom, estate) : `A cause for ${name} was found.`;
    case 'no-fault':
      if (symptom.state === 'moved') return `No fault: ${clause}, which is little, and nothing is wrong.`;
      return `No fault: ${name} behaves as before${symptom.objective?.met ? ' and meets its objective' : ''}.`;
    case 'benign':
      return `${capital(clause)}, and stays within the objective: nothing is wrong.`;
    default: {
      const [first] = unseen;
      const blind = first ? ` ${first.signal} is not seen: ${first.why}.` : '';
      return symptom.state === 'blind'
        ? `Cannot tell how ${name} does.${blind}`
        : `${capital(clause)}, but no cause can be shown.${blind}`;
    }
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sureness of the verdict: of the best cause, less for a rival of another kind and for blind spots; of calm, by what was seen. */
export function confidenceOf(
  verdict: Verdict,
  named: readonly Ranked[],
  ranked: readonly Ranked[],
  unseen: readonly Unseen[],
  symptom: Symptom,
): number {
  const blindness = Math.min(0.2, 0.02 * unseen.length);
  const [top] = named;
  if (verdict === 'cause-found' && top) {
    const rival = Math.max(
      0,
      ...ranked
        .filter((other) => !named.includes(other) && other.path[0] === top.path[0] && !sharesPods(other, top))
        .map(({ score }) => score),
    );
    return round(clamp(top.score - 0.3 * rival - blindness / 2, 0.05, 0.99));
  }
  if (verdict === 'no-fault')
    return round(clamp((Number.isFinite(symptom.reading?.before) ? 0.95 : 0.7) - blindness, 0.05, 0.99));
  return round(clamp((verdict === 'benign' ? 0.75 : 0.4) - blindness, 0.05, 0.99));
}

function sharesPods(a: Ranked, b: Ranked): boolean {
  return a.hypothesis.pods?.some((pod) => b.hypothesis.pods?.includes(pod)) ?? false;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
