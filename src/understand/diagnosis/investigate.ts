import {
  type Answer, type Change, type Entity, type EntityRef, type EstateSnapshot, type Investigation, type InvestigationRequest, membersOf,
  type PhaseShare, parseRef,QUESTIONS, type QuestionId, type Scope, type Subset, scopeAllows, type Unseen, type Verdict, 
} from '../../model/index.ts'; // biome-ignore format: one list
import type { Check, CheckContext, Judgement } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { createDesk, type Desk } from './desk.ts';
import type { EvidenceSource } from './evidence.ts';
import { type Focus, focusOn } from './focus.ts';
import type { Need, Readings } from './need.ts';
import { phasesFrom } from './phases.ts';
import { type Ranked, select, weigh } from './rank.ts';
import { clamp } from './robust.ts';
import {
  causeHeadline,
  createLedger,
  type Ledger,
  mergeJudgements,
  nextSteps,
  symptomClause,
  toCause,
  trustOf,
} from './say.ts';
import { subsetsOf } from './subsets.ts';
import { findSymptom, type Symptom } from './symptom.ts';
import { spreadNeeds, symptomNeeds } from './symptom-candidates.ts';
import { type Frame, frameOf, withOnset } from './window.ts';
import { nameOf } from './words.ts';

export interface InvestigateInput {
  id: string;
  request: InvestigationRequest;
  scope: Scope;
  /** As of the end of the window. */
  estate: EstateSnapshot;
  /** Of the whole estate, from at least an hour before the window to its end. */
  changes: readonly Change[];
  evidence: EvidenceSource;
  /** Milliseconds since the epoch. */
  now: number;
}

/** DESIGN.md, section 9: a source gives at most this many queries to one investigation. */
const MOST_QUERIES = 200;
/** Subject, a callee, and its callee: with pod and GPU beneath, four hops. */
const MOST_CALLS = 2;
/** Clocks of callers and callees differ, and a caller feels a callee at once. */
const CALLEE_SLACK_MS = 120_000;
/** A latency that grew by less, within the objective and with nothing wrong to be found, is ordinary life. */
const SMALL_MOVE = 1.5;

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

function visible(scope: Scope, entity: Entity | undefined): Entity | undefined {
  return entity && scopeAllows(scope, entity.cluster, entity.namespace || undefined) ? entity : undefined;
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

/** Fetches what a symptom shows in and judges it; how it spreads over replicas only once there is one. */
async function look(
  focus: Focus,
  asked: InvestigationRequest['symptom'],
  desk: Desk,
  frame: Frame,
  window: { from: number; to: number },
): Promise<Symptom> {
  const find = () => findSymptom(asked, focus, frame, window, (need) => desk.read(focus, need, frame));
  await desk.fetch(
    focus,
    symptomNeeds(asked).filter((need) => concerns(focus, need)),
  );
  // An engine that says nothing may sit behind HTTP metrics or spans that do.
  if (find().state === 'blind' && serves(focus)) await desk.fetch(focus, symptomNeeds(asked).filter(isOfService));
  const symptom = find();
  if (symptom.state !== 'moved') return symptom;
  await desk.fetch(
    focus,
    spreadNeeds(symptom.kind).filter((need) => concerns(focus, need)),
  );
  return find();
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

/** A part of the estate that was looked into, with what the checks said there. */
interface Station {
  focus: Focus;
  symptom: Symptom;
  judged: { check: Check; judgement: Judgement; missing: Readings['missing'] }[];
}

type LookAround = (focus: Focus) => Promise<Symptom>;

/** Runs the checks on a focus, then on whatever it calls that moved with it. */
async function walk(
  at: { focus: Focus; symptom: Symptom },
  input: InvestigateInput,
  desk: Desk,
  lookAround: LookAround,
  frame: Frame,
  callsLeft: number,
): Promise<Station[]> {
  const { focus, symptom } = at;
  const checks = serves(focus)
    ? CHECKS
    : CHECKS.filter((check) => check.question !== 'phases' || Object.keys(check.needs).length === 0);
  const needs = checks.flatMap((check) => Object.values(check.needs)).filter((need) => concerns(focus, need));
  const [callees] = await Promise.all([
    Promise.all(
      calleesOf(focus, input).map(async (callee) => ({ ...callee, symptom: await lookAround(callee.focus) })),
    ),
    desk.fetch(focus, needs),
  ]);
  const context: CheckContext = {
    focus,
    frame,
    symptom,
    estate: input.estate,
    changes: changesIn(input.changes, frame),
    callees,
  };
  const station = { focus, symptom, judged: checks.map((check) => judge(check, context, desk)) };
  const deeper = callsLeft > 0 ? callees.filter((callee) => movedWith(callee.symptom, symptom)) : [];
  const below = await Promise.all(deeper.map((callee) => walk(callee, input, desk, lookAround, frame, callsLeft - 1)));
  return [station, ...below.flat()];
}

function calleesOf(focus: Focus, { estate, scope }: InvestigateInput): { entity: Entity; focus: Focus }[] {
  return focus.callees.flatMap((entity) => {
    const callee =
      visible(scope, entity) && !focus.path.includes(entity.ref) ? focusOn(estate, entity, focus.path) : undefined;
    return callee ? [{ entity, focus: callee }] : [];
  });
}

/** A callee that moved no later than its caller did can be its reason. */
function movedWith(callee: Symptom, caller: Symptom): boolean {
  if (callee.state !== 'moved' || caller.state === 'quiet') return false;
  return !callee.onset || !caller.onset || callee.onset.low <= caller.onset.high + CALLEE_SLACK_MS;
}

function judge(check: Check, context: CheckContext, desk: Desk): Station['judged'][number] {
  const readings = Object.fromEntries(
    Object.entries(check.needs).map(([key, need]) => [key, desk.read(context.focus, need, context.frame)]),
  );
  const missing = Object.entries(check.needs).flatMap(([key, need]) =>
    need.optional ? [] : (readings[key]?.missing ?? []),
  );
  return { check, judgement: check.judge(context, readings), missing };
}

/** Whether it runs a model: only then are engine and GPU signals worth asking for. */
function serves(focus: Focus): boolean {
  return focus.gpus.length > 0 || focus.workload?.facts.engine !== undefined;
}

/** A model service is judged by its engine and its GPUs, everything else by what it serves over HTTP. */
function concerns(focus: Focus, need: Need): boolean {
  return serves(focus) ? !isOfService(need) : !need.signal.startsWith('inference.') && !need.signal.startsWith('gpu.');
}

function isOfService(need: Need): boolean {
  return need.signal.startsWith('service.') || need.signal.startsWith('edge.');
}

function changesIn(changes: readonly Change[], frame: Frame): Change[] {
  return changes
    .filter((change) => change.atMs >= frame.from && change.atMs <= frame.to)
    .sort((a, b) => a.atMs - b.atMs);
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

function verdictOf(symptom: Symptom, likely: readonly Ranked[], stations: readonly Station[], frame: Frame): Verdict {
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

function headlineOf(
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
function confidenceOf(
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
