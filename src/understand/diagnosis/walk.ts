import { type Change, type Entity, type InvestigationRequest, type Scope, scopeAllows } from '../../model/index.ts';
import type { Check, CheckContext, Judgement } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { concerns, isOfService, serves } from './concerns.ts';
import type { Desk } from './desk.ts';
import { type Focus, focusOn } from './focus.ts';
import type { InvestigateInput } from './input.ts';
import type { Readings } from './need.ts';
import { findSymptom, type Symptom } from './symptom.ts';
import { spreadNeeds, symptomNeeds } from './symptom-candidates.ts';
import type { Frame } from './window.ts';

/** Clocks of callers and callees differ, and a caller feels a callee at once. */
const CALLEE_SLACK_MS = 120_000;

/** A part of the estate that was looked into, with what the checks said there. */
export interface Station {
  focus: Focus;
  symptom: Symptom;
  judged: { check: Check; judgement: Judgement; missing: Readings['missing'] }[];
}

type LookAround = (focus: Focus) => Promise<Symptom>;

/** Runs the checks on a focus, then on whatever it calls that moved with it. */
export async function walk(
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

/** Fetches what a symptom shows in and judges it; how it spreads over replicas only once there is one. */
export async function look(
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

function changesIn(changes: readonly Change[], frame: Frame): Change[] {
  return changes
    .filter((change) => change.atMs >= frame.from && change.atMs <= frame.to)
    .sort((a, b) => a.atMs - b.atMs);
}

export function visible(scope: Scope, entity: Entity | undefined): Entity | undefined {
  return entity && scopeAllows(scope, entity.cluster, entity.namespace || undefined) ? entity : undefined;
}
