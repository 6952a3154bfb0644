import type { AnswerStatus, Cause, EntityRef, EstateSnapshot, Evidence, NextStep, Trust } from '../../model/index.ts';
import { MECHANISMS } from '../../model/index.ts';
import type { Cite, Judgement } from './check.ts';
import type { Desk } from './desk.ts';
import { NEXT_STEPS } from './next-steps.ts';
import type { Ranked } from './rank.ts';
import type { Reading } from './reading.ts';
import { median } from './robust.ts';
import type { Symptom } from './symptom.ts';
import { type Frame, timeAt } from './window.ts';
import { amount, factor, listed, nameOf } from './words.ts';

/** Numbers pieces of evidence, each once. */
export interface Ledger {
  cite(cites: readonly Cite[]): string[];
  entries(): Evidence[];
}

export function createLedger(frame: Frame): Ledger {
  const entries = new Map<string, Evidence>();
  return {
    cite: (cites) =>
      cites.map(({ reading, role }) => {
        const key = `${reading.signal} ${reading.stat ?? ''} ${reading.entity} ${role}`;
        const known = entries.get(key);
        if (known) return known.id;
        const entry = toEvidence(reading, role, frame, `e${entries.size + 1}`);
        entries.set(key, entry);
        return entry.id;
      }),
    entries: () => [...entries.values()],
  };
}

function toEvidence(reading: Reading, role: Evidence['role'], frame: Frame, id: string): Evidence {
  const value = (number: number) => (Number.isFinite(number) ? number : undefined);
  return {
    id,
    signal: reading.signal,
    entity: reading.entity,
    query: { ...reading.query, from: frame.from, to: frame.to, step: frame.step / 1000 },
    before: value(reading.before),
    during: value(reading.during),
    unit: reading.unit,
    role,
  };
}

export function toCause(ranked: Ranked, ledger: Ledger, frame: Frame): Cause {
  const { hypothesis, path, score } = ranked;
  const since =
    hypothesis.since !== undefined && Number.isFinite(hypothesis.since)
      ? hypothesis.since
      : (frame.onset?.at ?? frame.during.from);
  return {
    entity: hypothesis.entity,
    mechanism: hypothesis.mechanism,
    layer: MECHANISMS[hypothesis.mechanism],
    score,
    since,
    summary: hypothesis.summary,
    chain: [...new Set([...hypothesis.via, ...path])],
    ...(hypothesis.change ? { change: hypothesis.change } : {}),
    evidence: ledger.cite(hypothesis.cites),
  };
}

const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  'inference.itl': 'time between tokens',
  'inference.ttft': 'time to first token',
  'inference.e2e': 'request time',
  'inference.errors': 'errors',
  'inference.output_tokens': 'output tokens',
  'service.duration': 'response time',
  'service.errors': 'errors',
  'workload.ready': 'ready replicas',
};

export function causeHeadline(top: Ranked, symptom: Symptom, estate: EstateSnapshot): string {
  const [clause = top.hypothesis.summary] = top.hypothesis.summary.replace(/\.$/, '').split(': ');
  return `${clause}; ${symptomClause(symptom, estate)}.`;
}

/** `time between tokens (p95) of pod llama-0 grew 5.9× (24 ms → 142 ms)` */
export function symptomClause(symptom: Symptom, estate: EstateSnapshot): string {
  const { reading, shift, impacts } = symptom;
  if (!reading) return 'the symptom has no signal';
  const affected = impacts.filter((impact) => impact.affected);
  const few = affected.length > 0 && affected.length < impacts.length;
  const whose = few ? listed(affected.map((impact) => nameOf(estate, impact.pod))) : nameOf(estate, reading.entity);
  const before = few ? median(affected.map((impact) => impact.before)) : (shift?.before ?? reading.before);
  const during = few ? median(affected.map((impact) => impact.during)) : (shift?.during ?? reading.during);
  const stat = few ? affected[0]?.reading.stat : reading.stat;
  const what = `${SIGNAL_WORDS[reading.signal] ?? reading.signal}${stat ? ` (${stat})` : ''} of ${whose}`;
  if (!Number.isFinite(before)) return `${what} is ${amount(during, reading.unit)}`;
  const move = during >= before ? 'grew' : 'fell';
  const times = before > 0 && during > before ? ` ${factor(before, during)}` : '';
  return `${what} ${move}${times} (${amount(before, reading.unit)} → ${amount(during, reading.unit)})`;
}

export function nextSteps(ranked: readonly Ranked[], subject: EntityRef, estate: EstateSnapshot): NextStep[] {
  return ranked.slice(0, 3).flatMap(({ hypothesis }) => {
    const pod = hypothesis.via.find((ref) => ref.startsWith('pod:'));
    const names = {
      entity: nameOf(estate, hypothesis.entity),
      pod: pod ? nameOf(estate, pod) : 'the replica',
      subject: nameOf(estate, subject),
    };
    const link = `/e/${hypothesis.entity}`;
    return (NEXT_STEPS[hypothesis.mechanism] ?? []).map((text) => ({
      text: text.replace(/\{(entity|pod|subject)\}/g, (_, key: keyof typeof names) => names[key]),
      link,
    }));
  });
}

/** One answer of several checks: the worst status, and the sentences of those that have it. */
export function mergeJudgements(judgements: readonly Judgement[]): { status: AnswerStatus; summary: string } {
  const order: readonly AnswerStatus[] = ['problem', 'ok', 'unknown', 'not-applicable'];
  const status = order.find((candidate) => judgements.some((j) => j.status === candidate)) ?? 'unknown';
  const told = judgements.filter((j) => j.status === status && j.summary !== '').map((j) => j.summary);
  return { status, summary: [...new Set(told)].join(' ') };
}

/** Per system: how old its newest sample is at the end of the window, and how many holes its series have. */
export function trustOf(desk: Desk, frame: Frame): Trust[] {
  const systems = new Map<string, { newest: number; gaps: number }>();
  for (const { answer } of desk.answers()) {
    for (const { system } of answer.series.length > 0 ? answer.queries.slice(0, 1) : []) {
      const entry = systems.get(system) ?? { newest: Number.NEGATIVE_INFINITY, gaps: 0 };
      for (const { values } of answer.series) {
        const last = values.findLastIndex(Number.isFinite);
        if (last >= 0) entry.newest = Math.max(entry.newest, timeAt(frame, last));
        entry.gaps = Math.max(entry.gaps, gapsIn(values));
      }
      systems.set(system, entry);
    }
  }
  return [...systems].map(([source, { newest, gaps }]) => ({
    source,
    freshnessSeconds: Number.isFinite(newest)
      ? Math.max(0, (frame.to - newest) / 1000)
      : (frame.to - frame.from) / 1000,
    gaps,
    dropped: 0,
  }));
}

/** Holes between values; what comes before the first and after the last is not one. */
function gapsIn(values: Float64Array): number {
  const first = values.findIndex(Number.isFinite);
  const last = values.findLastIndex(Number.isFinite);
  let gaps = 0;
  for (let i = first + 1; i < last; i++) if (!Number.isFinite(values[i]) && Number.isFinite(values[i - 1])) gaps++;
  return first < 0 ? 0 : gaps;
}
