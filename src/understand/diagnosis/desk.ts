import type { EntityRef, MissingSignal } from '../../model/index.ts';
import type { EvidenceAnswer, EvidenceRequest, EvidenceSource } from './evidence.ts';
import { type Focus, selected } from './focus.ts';
import type { Need, Readings } from './need.ts';
import { measure } from './reading.ts';
import type { Frame } from './window.ts';

/** Fetches what checks need, each thing once, and hands it out measured against the frame of the moment. */
export interface Desk {
  fetch(focus: Focus, needs: readonly Need[]): Promise<void>;
  read(focus: Focus, need: Need, frame: Frame): Readings;
  /** All answers so far, for what can be said about sources. */
  answers(): readonly { request: EvidenceRequest; answer: EvidenceAnswer }[];
}

const NOTHING: Readings = { all: [], of: () => undefined, one: undefined, missing: [] };

/** `frame` fixes what is fetched; `mostQueries` is the bound after which needs stay unanswered and say so. */
export function createDesk(evidence: EvidenceSource, frame: Frame, mostQueries: number): Desk {
  const asked = new Map<string, { request: EvidenceRequest; answer: Promise<EvidenceAnswer> }>();
  const answered = new Map<string, { request: EvidenceRequest; answer: EvidenceAnswer }>();

  async function ask(request: EvidenceRequest): Promise<void> {
    const key = keyOf(request);
    const known = asked.get(key);
    if (known) return void (await known.answer);
    const overBudget = evidence.spent().queries + asked.size - answered.size >= mostQueries;
    const answer = overBudget ? Promise.resolve(unasked(request, mostQueries)) : evidence.fetch(request);
    asked.set(key, { request, answer });
    answered.set(key, { request, answer: await answer });
  }

  return {
    async fetch(focus, needs) {
      const requests = needs.flatMap((need) => requestFor(focus, need, frame) ?? []);
      await Promise.all(requests.map(ask));
    },
    read(focus, need, current) {
      const request = requestFor(focus, need, frame);
      const found = request && answered.get(keyOf(request));
      return found ? readings(found.request, found.answer, current) : NOTHING;
    },
    answers: () => [...answered.values()],
  };
}

function requestFor(focus: Focus, need: Need, frame: Frame): EvidenceRequest | undefined {
  const of = selected(focus, need.of).map((entity) => entity.ref);
  if (of.length === 0) return undefined;
  return {
    signal: need.signal,
    of,
    ...(need.by ? { by: need.by } : {}),
    ...(need.stat ? { stat: need.stat } : {}),
    from: frame.from,
    to: frame.to,
    step: frame.step,
    rateSeconds: frame.rateSeconds,
  };
}

function readings(request: EvidenceRequest, answer: EvidenceAnswer, frame: Frame): Readings {
  const query = answer.queries[0];
  const all = answer.series.map((series) =>
    measure(frame, {
      signal: request.signal,
      stat: request.stat,
      unit: answer.unit,
      entity: series.entity,
      values: series.values,
      query: { language: query?.language ?? 'promql', text: query?.text ?? '' },
    }),
  );
  const byEntity = new Map<EntityRef, (typeof all)[number]>(all.map((reading) => [reading.entity, reading]));
  return { all, of: (entity) => byEntity.get(entity), one: all[0], missing: answer.missing };
}

function keyOf(request: EvidenceRequest): string {
  return [request.signal, request.by ?? '', request.stat ?? '', ...request.of].join(' ');
}

function unasked(request: EvidenceRequest, mostQueries: number): EvidenceAnswer {
  const missing: MissingSignal = {
    signal: request.signal,
    entity: request.of[0] ?? '',
    why: `not asked: the investigation had spent its ${mostQueries} queries`,
    fix: 'Investigate a narrower subject.',
  };
  return { unit: '', series: [], queries: [], missing: [missing] };
}
