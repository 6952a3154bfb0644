import { DEFAULT_TTFT_OBJECTIVE, type EntityRef, type Onset, type SymptomKind } from '../../model/index.ts';
import type { Focus } from './focus.ts';
import type { Need, Readings } from './need.ts';
import { has, type Reading, shiftOf } from './reading.ts';
import { median, quantile, sum } from './robust.ts';
import type { Shift } from './shift.ts';
import { type Candidate, candidatesFor, LEAST_LATENCY_FACTOR, REQUESTS, TTFT } from './symptom-candidates.ts';
import { type Frame, timeAt } from './window.ts';

/** What moved for users, since when, and how it spreads over the replicas. */
export interface Symptom {
  kind: SymptomKind;
  /**
   * `moved`: a signal left its usual range within the window; `violated`: nothing moved, but the objective is missed
   * all along; `uneven`: nothing moved, but some replica is far slower than its peers all along; `quiet`: none of these;
   * `blind`: there is nothing to tell by.
   */
  state: 'moved' | 'violated' | 'uneven' | 'quiet' | 'blind';
  /** The signal that says so, over the whole focus; for `quiet` the one that was watched. */
  reading: Reading | undefined;
  shift: Shift | undefined;
  onset: Onset | undefined;
  endMs: number;
  /** The default objective, when it can be judged. */
  objective: { limit: number; value: number; met: boolean } | undefined;
  impacts: readonly PodImpact[];
}

/** The symptom's signal on one pod. */
export interface PodImpact {
  pod: EntityRef;
  before: number;
  during: number;
  /** Share of the whole excess (change times requests) that falls on this pod; all sum to 1. */
  share: number;
  affected: boolean;
  reading: Reading;
}

/** Share of failed requests from which a rise is more than a trickle. */
const LEAST_ERROR_SHARE = 0.02;
/** GAIE: errors over 0.05 of requests are critical, new or not. */
const CRITICAL_ERROR_SHARE = 0.05;
/** By how much a mean must follow its quantile. A tenth of the requests, three times as slow, moves it by this much; a slow replica shows in its own mean. */
const LEAST_MEAN_FACTOR = 1.2;
/** Replicas of one revision under one router differ by less (power of two choices keeps loads within a few tens of per cent). */
const UNEVEN_FACTOR = 1.8;
/** With fewer replicas nobody can say which one is the odd one. */
const UNEVEN_PEERS = 3;

interface Observation {
  candidate: Candidate;
  /** The series that moved: of the whole, or of one pod when the whole hides it. */
  reading: Reading;
  shift: Shift;
}

/** Judges whether the focus has a symptom. Without a kind asked for, the strongest movement of any kind counts, throughput excepted. */
export function findSymptom(
  asked: SymptomKind | undefined,
  focus: Focus,
  frame: Frame,
  window: { from: number; to: number },
  read: (need: Need) => Readings,
): Symptom {
  const candidates = candidatesFor(asked);
  const watched = candidates.flatMap((candidate) =>
    read(candidate.need)
      .all.filter(has)
      .map((reading) => ({ candidate, reading })),
  );
  const seen = candidates
    .flatMap((candidate) => observations(candidate, focus, frame, window, read))
    .filter((o) => matters(o, read));
  const objective = judgeObjective(read(TTFT).one);
  const clearest = firstOfStrong(seen);
  if (clearest) return moved(clearest, focus, frame, objective, read);
  const standing = candidates.find((candidate) => isMissed(candidate, objective, read));
  const odd = standing ? undefined : candidates.find((candidate) => isUneven(candidate, focus, read));
  const shown = watched.find(({ candidate }) => candidate === (standing ?? odd)) ?? watched[0];
  // That all replicas are ready says nothing about how long they take.
  const telling = watched.some(({ candidate }) => asked !== undefined || candidate.kind !== 'availability');
  const candidate = shown?.candidate ?? candidates[0];
  return {
    kind: asked ?? (standing ?? odd)?.kind ?? 'latency',
    state: standing ? 'violated' : !telling ? 'blind' : odd ? 'uneven' : 'quiet',
    reading: shown?.reading,
    shift: undefined,
    onset: undefined,
    endMs: window.to,
    objective,
    impacts: candidate ? impactsOf(candidate, focus, read) : [],
  };
}

/** Whether it is as bad all along as it may not be: replicas missing, requests failing, the objective missed. */
function isMissed(candidate: Candidate, objective: Symptom['objective'], read: (need: Need) => Readings): boolean {
  switch (candidate.kind) {
    case 'latency':
      return candidate.need === TTFT && objective?.met === false;
    case 'availability':
      return (read(candidate.need).one?.during ?? Number.NaN) < (read(REQUESTS.desired).one?.during ?? Number.NaN);
    case 'errors':
      return errorShare(sum(read(candidate.need).all.map((reading) => reading.during)), read) >= CRITICAL_ERROR_SHARE;
    case 'throughput':
      return false;
  }
}

function errorShare(errors: number, read: (need: Need) => Readings): number {
  const requests = sum(
    [REQUESTS.engine, REQUESTS.service].flatMap((need) => read(need).all.map((reading) => reading.during)),
  );
  return requests > 0 ? errors / requests : 0;
}

function moved(
  observation: Observation,
  focus: Focus,
  frame: Frame,
  objective: Symptom['objective'],
  read: (need: Need) => Readings,
): Symptom {
  const { candidate, reading, shift } = observation;
  const whole = read(candidate.need).of(focus.self.ref) ?? read(candidate.need).one;
  return {
    kind: candidate.kind,
    state: 'moved',
    reading: whole ?? reading,
    shift,
    onset: onsetOf(shift, frame, reading),
    endMs: shift.end >= reading.values.length ? frame.to : timeAt(frame, shift.end),
    objective,
    impacts: impactsOf(candidate, focus, read),
  };
}

/** Shifts of the whole and of its pods that reach into the window; that of the whole only with something to confirm it. */
function observations(
  candidate: Candidate,
  focus: Focus,
  frame: Frame,
  window: { from: number; to: number },
  read: (need: Need) => Readings,
): Observation[] {
  const shifted = (reading: Reading): Observation[] => {
    const shift = shiftOf(reading, frame, candidate.direction, candidate.least);
    return shift && timeAt(frame, shift.end - 1) > window.from ? [{ candidate, reading, shift }] : [];
  };
  const ofPods = candidate.byPod && focus.self.kind !== 'pod' ? read(candidate.byPod).all.flatMap(shifted) : [];
  const ofWhole = read(candidate.need).all.flatMap(shifted);
  return [...ofWhole.filter((observation) => ofPods.length > 0 || isConfirmed(observation, read)), ...ofPods];
}

function isConfirmed({ candidate, reading, shift }: Observation, read: (need: Need) => Readings): boolean {
  const witness = candidate.confirm && read(candidate.confirm).of(reading.entity);
  if (!witness) return true;
  const inside = median(witness.values.slice(shift.start, shift.end));
  const outside = median([...witness.values.slice(0, shift.start), ...witness.values.slice(shift.end)]);
  return inside / outside >= LEAST_MEAN_FACTOR;
}

/** Errors must be more than a trickle; readiness that falls because fewer replicas are wanted is no symptom. */
function matters({ candidate, shift, reading }: Observation, read: (need: Need) => Readings): boolean {
  if (candidate.kind === 'errors') return errorShare(shift.during, read) >= LEAST_ERROR_SHARE;
  if (candidate.kind === 'availability') {
    const desired = read(REQUESTS.desired).one;
    return (
      desired === undefined ||
      reading.values.some((ready, i) => i >= shift.start && i < shift.end && ready < (desired.values[i] ?? 0))
    );
  }
  return true;
}

/**
 * Several movements are usual. Of those that are clear, the earliest dates the symptom: histograms of whole requests are
 * written when a request ends and so tell late.
 */
function firstOfStrong(seen: readonly Observation[]): Observation | undefined {
  const strongest = Math.max(0, ...seen.map(weight));
  return seen
    .filter((o) => weight(o) >= strongest / 3)
    .sort((a, b) => a.shift.start - b.shift.start || weight(b) - weight(a))[0];
}

function weight({ candidate, shift, reading }: Observation): number {
  const whole = reading.entity.startsWith('pod:') ? 0.8 : 1;
  return whole * shift.strength * (candidate.kind === 'availability' ? 0.5 : 1);
}

function isUneven(candidate: Candidate, focus: Focus, read: (need: Need) => Readings): boolean {
  if (candidate.kind !== 'latency' || !candidate.byPod) return false;
  const pods = read(candidate.byPod).all.filter(has);
  const slowest = Math.max(
    ...pods.filter(({ entity }) => focus.self.kind !== 'pod' || entity === focus.self.ref).map((pod) => pod.during),
  );
  return pods.length >= UNEVEN_PEERS && slowest >= UNEVEN_FACTOR * median(pods.map((pod) => pod.during));
}

/** A rate sees an event up to its whole range late, so the interval reaches back by that much. */
function onsetOf(shift: Shift, frame: Frame, reading: Reading): Onset {
  const lag = reading.unit === '1' || reading.unit === 'ratio' ? 0 : frame.rateSeconds * 1000;
  return {
    at: timeAt(frame, shift.start) - lag / 4,
    low: timeAt(frame, shift.low) - lag,
    high: timeAt(frame, shift.high) + frame.step / 2,
  };
}

/** Asked about one pod, the symptom is that pod's alone; its peers are there to compare with. */
function impactsOf(candidate: Candidate, focus: Focus, read: (need: Need) => Readings): PodImpact[] {
  if (!candidate.byPod) return [];
  const pods = read(candidate.byPod).all.filter(has);
  const requests = read(REQUESTS.byPod);
  const earlier = median(pods.map((pod) => pod.before));
  // Without a before, the better half of the replicas shows what is usual.
  const usual = Number.isFinite(earlier)
    ? earlier
    : quantile(
        pods.map((pod) => pod.during),
        0.25,
      );
  const rows = pods.map((reading) => {
    const before = Number.isFinite(reading.before) ? reading.before : usual;
    const change = candidate.direction === 'up' ? reading.during - before : before - reading.during;
    const served = requests.of(reading.entity)?.during;
    const busy = served !== undefined && Number.isFinite(served) ? served : 1;
    return { reading, before, excess: Math.max(0, change) * (candidate.kind === 'latency' ? busy : 1) };
  });
  const mine = (entity: EntityRef) => focus.self.kind !== 'pod' || entity === focus.self.ref;
  const total = sum(rows.filter((row) => mine(row.reading.entity)).map((row) => row.excess));
  const largest = Math.max(0, ...rows.map((row) => row.excess));
  return rows.map(({ reading, before, excess }) => ({
    pod: reading.entity,
    before,
    during: reading.during,
    share: total > 0 && mine(reading.entity) ? excess / total : 0,
    affected: excess > 0 && excess >= largest / 4 && movedEnough(candidate, before, reading.during),
    reading,
  }));
}

function movedEnough(candidate: Candidate, before: number, during: number): boolean {
  const [low, high] = candidate.direction === 'up' ? [before, during] : [during, before];
  return low <= 0 ? high > 0 : high / low >= LEAST_LATENCY_FACTOR;
}

function judgeObjective(ttft: Reading | undefined): Symptom['objective'] {
  if (!has(ttft)) return undefined;
  return { limit: DEFAULT_TTFT_OBJECTIVE, value: ttft.during, met: ttft.during <= DEFAULT_TTFT_OBJECTIVE };
}
