import { describe, expect, test } from 'vitest';
import type { Hypothesis } from './check.ts';
import { type Ranked, select, weigh } from './rank.ts';
import type { Reading } from './reading.ts';
import type { Symptom } from './symptom.ts';

const ONSET = 1_000_000_000;
const MINUTE = 60_000;
const reading = {} as Reading; // ranking looks at shares alone

/** A symptom whose excess falls on pods by these shares; more than a tenth counts as affected. */
function symptom(shares: Record<string, number>): Symptom {
  const impacts = Object.entries(shares).map(([pod, share]) => ({
    pod,
    before: 1,
    during: 1 + share,
    share,
    affected: share > 0.1,
    reading,
  }));
  return {
    kind: 'latency', state: 'moved', reading: undefined, shift: undefined, onset: { at: ONSET, low: ONSET - MINUTE, high: ONSET + MINUTE },
    endMs: ONSET + 30 * MINUTE, objective: undefined, impacts,
  }; // biome-ignore format: one record
}

function hypothesis(part: Partial<Hypothesis>): Hypothesis {
  return {
    mechanism: 'gpu-thermal-throttle',
    entity: 'gpu:c/-/g',
    strength: 0.9,
    since: ONSET,
    pods: ['pod:a'],
    via: [],
    summary: '',
    cites: [],
    ...part,
  };
}

const ranked = (parts: Partial<Hypothesis>[], of: Symptom): Ranked[] =>
  parts.map((part) => weigh(hypothesis(part), of, ['workload:c/n/w']));
const selected = (parts: Partial<Hypothesis>[], of: Symptom) =>
  select(ranked(parts, of), of).map(({ hypothesis: h }) => `${h.mechanism} ${h.entity}`);

describe('weigh', () => {
  const one = symptom({ 'pod:a': 0.95, 'pod:b': 0.05 });
  const score = (part: Partial<Hypothesis>) => weigh(hypothesis(part), one, []).score;

  test.each<[string, Partial<Hypothesis>, Partial<Hypothesis>]>([
    ['what explains more', {}, { pods: ['pod:b'] }],
    ['what hits only the affected', {}, { pods: ['pod:a', 'pod:b'] }],
    ['what came before', {}, { since: ONSET + 10 * MINUTE }],
    ['what came just before', {}, { since: ONSET - 60 * MINUTE }],
    ['what is better supported', {}, { strength: 0.6 }],
    ['the part to everything at once', {}, { pods: undefined }],
  ])('%s scores more', (_, more, less) => {
    expect(score(more)).toBeGreaterThan(score(less));
  });
});

describe('select', () => {
  const one = symptom({ 'pod:a': 0.95, 'pod:b': 0.05 });
  const two = symptom({ 'pod:a': 0.5, 'pod:b': 0.5 });
  const kv = { mechanism: 'kv-cache-exhausted' as const, entity: 'workload:c/n/w', since: ONSET + MINUTE, via: [] };

  test('a consequence on the same pods is not a second cause, even when it is seen more clearly', () => {
    expect(selected([{ strength: 0.85 }, { ...kv, strength: 0.9 }], one)).toEqual(['gpu-thermal-throttle gpu:c/-/g']);
  });

  test('two causes on different pods are two causes', () => {
    expect(selected([{}, { entity: 'gpu:c/-/h', pods: ['pod:b'] }], two)).toEqual([
      'gpu-thermal-throttle gpu:c/-/g',
      'gpu-thermal-throttle gpu:c/-/h',
    ]);
  });

  test('suspicions accuse nobody', () => {
    expect(selected([{ strength: 0.4 }], one)).toEqual([]);
    expect(selected([{ pods: ['pod:b'] }], one)).toEqual([]);
    expect(selected([{ since: ONSET + 20 * MINUTE }], one)).toEqual([]);
  });
});
