import {
  type Answer,
  type Entity,
  type EntityRef,
  type EstateSnapshot,
  type Investigation,
  type InvestigationRequest,
  membersOf,
  type PhaseShare,
  parseRef,
  QUESTIONS,
  type QuestionId,
  type Subset,
  type Unseen,
  type Verdict,
} from '../../model/index.ts';
import type { CheckContext } from './check.ts';
import { concerns } from './concerns.ts';
import { createDesk, type Desk } from './desk.ts';
import { type Focus, focusOn } from './focus.ts';
import type { InvestigateInput } from './input.ts';
import type { Need, Readings } from './need.ts';
import { phasesFrom } from './phases.ts';
import { type Ranked, select, weigh } from './rank.ts';
import { createLedger, type Ledger, mergeJudgements, nextSteps, toCause, trustOf } from './say.ts';
import { subsetsOf } from './subsets.ts';
import { findSymptom, type Symptom } from './symptom.ts';
import { symptomNeeds } from './symptom-candidates.ts';
import { confidenceOf, headlineOf, verdictOf } from './verdict.ts';
import { look, type Station, visible, walk } from './walk.ts';
import { type Frame, frameOf, withOnset } from './window.ts';

/** DESIGN.md, section 9: a source gives at most this many queries to one investigation. */
export const MOST_QUERIES = 200;
/** Subject, a callee, and its callee: with pod and GPU beneath, four hops. */
const MOST_CALLS = 2;

/**
 * Runs one investigation. Without a baseline in the request, the hour before the window serves as one, up to where the
 * symptom began. `tookMs` of the result is 0: whoever has a clock fills it in.
 */
export async function investigate(input: InvestigateInput): Promise<Investigation> {
  const { request, estate } = input;
  const window = { from: request.window.from, to: Math.min(request.window.to, input.now) };
  const frame = frameOf({ ...request, window });
  const desk = createDesk(input.evidence, frame, MOST_QUERIES);
  const subject = visible(input.scope, estate.get(request.subject));
  const foci = subject ? startingPoints(estate, subject) : [];
  if (!subject || foci.length === 0) return unanswerable(input, frame, subject);
  const lookAround = (focus: Focus) => look(focus, request.symptom, desk, frame, window);
  const looked = await Promise.all(foci.map(async (focus) => ({ focus, symptom: await lookAround(focus) })));
  const main =
    looked.find(({ symptom }) => symptom.state === 'moved') ??
    looked.find(({ symptom }) => symptom.state !== 'blind') ??
    looked[0];
  if (!main) return unanswerable(input, frame, subject);
  const settled = settle(main.symptom, frame, request, (need, f) => desk.read(main.focus, need, f), main.focus, window);
  const stations = await walk({ ...main, ...settled }, input, desk, lookAround, settled.frame, MOST_CALLS);
  return conclude(input, main.focus, settled, stations, desk);
}

/** The subject itself where it serves; for a GPU, node, namespace or cluster the workloads there, model services first. */
function startingPoints(estate: EstateSnapshot, subject: Entity): Focus[] {
  const own = focusOn(estate, subject);
  if (own) return [own];
  const workloads = [...membersOf(estate, subject, 'workload')].sort(
    (a, b) => Number(b.facts.engine !== undefined) - Number(a.facts.engine !== undefined),
  );
  return workloads.slice(0, 4).flatMap((workload) => focusOn(estate, workload, [subject.ref]) ?? []);
}

interface Settled {
  symptom: Symptom;
  frame: Frame;
}

/**
 * With an onset, before and during are counted from it. Where the symptom was there all along, history is no yardstick
 * and peers are: the baseline is emptied so that nobody compares with it.
 */
function settle(
  symptom: Symptom,
  frame: Frame,
  request: InvestigationRequest,
  read: (need: Need, frame: Frame) => Readings,
  focus: Focus,
  window: { from: number; to: number },
): Settled {
  const again = (next: Frame) => findSymptom(request.symptom, focus, next, window, (need) => read(need, next));
  if (symptom.state === 'moved' && symptom.onset) {
    const next = withOnset(frame, symptom.onset, symptom.endMs, request.baseline);
    return { frame: next, symptom: again(next) };
  }
  if ((symptom.state === 'violated' || symptom.state === 'uneven') && !request.baseline) {
    const next = { ...frame, baseline: { from: frame.from - 2, to: frame.from - 1 } };
    return { frame: next, symptom: again(next) };
  }
  return { frame, symptom };
}

function conclude(
  input: InvestigateInput,
  focus: Focus,
  { symptom, frame }: Settled,
  stations: readonly Station[],
  desk: Desk,
): Investigation {
  const { estate, request } = input;
  const ledger = createLedger(frame);
  if (symptom.reading) ledger.cite([{ reading: symptom.reading, role: 'supports' }]);
  const asked = symptom.state !== 'quiet' && symptom.state !== 'blind';
  const ranked = stations.flatMap((station) =>
    station.judged.flatMap(({ judgement }) =>
      judgement.hypotheses.map((hypothesis) => weigh(hypothesis, station.symptom, station.focus.path)),
    ),
  );
  const likely = asked ? select(ranked, symptom) : [];
  const verdict = verdictOf(symptom, likely, stations, frame);
  const named = verdict === 'cause-found' ? likely : [];
  const unseen = unseenOf(
    stations,
    symptom,
    symptomNeeds(request.symptom).filter((need) => concerns(focus, need)),
    (need) => desk.read(focus, need, frame),
  );
  const [main] = stations;
  const context: CheckContext = { focus, frame, symptom, estate, changes: [], callees: [] };
  const questions = answersOf(stations, ledger);
  const causes = named.map((cause) => toCause(cause, ledger, frame));
  const accused = new Set<string>(named.map(({ hypothesis }) => `${hypothesis.mechanism} ${hypothesis.entity}`));
  return {
    id: input.id,
    subject: request.subject,
    symptom: symptom.kind,
    window: request.window,
    baseline: frame.baseline.to < frame.from ? { from: frame.from, to: request.window.from } : frame.baseline,
    onset: symptom.onset,
    verdict,
    headline: headlineOf(verdict, symptom, named[0], unseen, estate, request.subject),
    confidence: confidenceOf(verdict, named, ranked, unseen, symptom),
    causes,
    questions,
    phases: phasesOf(main, desk, frame),
    subsets: asked ? subsetsOf(context) : ([] satisfies Subset[]),
    ruledOut: (main?.judged ?? [])
      .flatMap(({ judgement }) => judgement.ruledOut)
      .filter(({ mechanism, entity }) => !accused.has(`${mechanism} ${entity}`))
      .map(({ cites, ...rest }) => ({ ...rest, evidence: ledger.cite(cites) })),
    evidence: ledger.entries(),
    unseen,
    trust: trustOf(desk, frame),
    next: nextFor(verdict, named, unseen, request.subject, estate),
    cost: input.evidence.spent(),
    tookMs: 0,
  };
}

/** All ten questions, answered for the subject; what was found further down the calls is added to the findings. */
function answersOf(stations: readonly Station[], ledger: Ledger): Answer[] {
  const [main, ...below] = stations;
  return (Object.keys(QUESTIONS) as QuestionId[]).map((id) => {
    const own = (main?.judged ?? []).filter(({ check }) => check.question === id).map(({ judgement }) => judgement);
    const further = below.flatMap(({ judged }) =>
      judged
        .filter(({ check, judgement }) => check.question === id && judgement.status === 'problem')
        .map(({ judgement }) => judgement),
    );
    const merged =
      own.length > 0
        ? mergeJudgements(own)
        : { status: 'not-applicable' as const, summary: 'This is no model service.' };
    return {
      id,
      ...merged,
      findings: [...own, ...further]
        .flatMap((judgement) => judgement.findings)
        .map(({ cites, ...fact }) => ({ ...fact, evidence: ledger.cite(cites) })),
    };
  });
}

function phasesOf(main: Station | undefined, desk: Desk, frame: Frame): PhaseShare[] {
  if (!main) return [];
  const need = (signal: string): Need => ({ signal, of: 'self', stat: 'mean' });
  const read = (signal: string) => desk.read(main.focus, need(signal), frame);
  return phasesFrom({
    e2e: read('inference.e2e'),
    queue: read('inference.queue_time'),
    prefill: read('inference.prefill_time'),
    decode: read('inference.decode_time'),
  });
}

/** Signals that checks needed and did not get, each once; those of the symptom first when it is blind. */
function unseenOf(
  stations: readonly Station[],
  symptom: Symptom,
  watched: readonly Need[],
  read: (need: Need) => Readings,
): Unseen[] {
  const ofSymptom = watched
    .filter((need) => !need.optional || symptom.state === 'blind')
    .flatMap((need) => read(need).missing);
  const ofChecks = stations.flatMap(({ judged }) => judged.flatMap(({ missing }) => missing));
  return [...new Map([...ofSymptom, ...ofChecks].map((item) => [`${item.signal} ${item.entity}`, item])).values()];
}

function nextFor(
  verdict: Verdict,
  named: readonly Ranked[],
  unseen: readonly Unseen[],
  subject: EntityRef,
  estate: EstateSnapshot,
): Investigation['next'] {
  if (verdict === 'cause-found') return nextSteps(named, subject, estate);
  if (verdict === 'cannot-tell')
    return [...new Set(unseen.slice(0, 3).map(({ fix }) => fix))].map((text) => ({ text }));
  return [];
}

function unanswerable(
  { id, request, evidence }: InvestigateInput,
  frame: Frame,
  subject: Entity | undefined,
): Investigation {
  const name = subject?.name ?? parseRef(request.subject)?.name ?? request.subject;
  const headline = subject
    ? `Cannot tell: nothing that runs on ${name} is known.`
    : `Cannot tell: ${name} was not known at the end of the window.`;
  return {
    id, subject: request.subject, symptom: request.symptom ?? 'latency', window: request.window, baseline: frame.baseline, onset: undefined,
    verdict: 'cannot-tell', headline, confidence: 0, causes: [],
    questions: (Object.keys(QUESTIONS) as QuestionId[]).map((question) => ({ id: question, status: 'unknown', summary: headline, findings: [] })),
    phases: [], subsets: [], evidence: [], ruledOut: [], trust: [], next: [],
    unseen: [{ signal: 'estate', entity: request.subject, why: headline, fix: 'Check the reference, or ask about a workload, pod or service at a time when it ran.' }],
    cost: evidence.spent(), tookMs: 0,
  }; // biome-ignore format: one record
}
