import { ApiError } from '../api/index.ts';
import { type Clock, deadline } from '../base/index.ts';
import type { EstateSnapshot, Investigation, InvestigationRequest, Scope } from '../model/index.ts';
import type { PromqlEngine, TraceReader } from '../query/index.ts';
import { investigate, MOST_QUERIES } from '../understand/diagnosis/index.ts';
import type { EstateReader } from '../understand/estate/index.ts';
import { createEvidenceSource } from './evidence.ts';

export interface InvestigatorOptions {
  engine: PromqlEngine;
  traces?: TraceReader;
  estate: EstateReader;
  clock: Clock;
}

/** Changes are looked for this long before the window: a baseline's hour and the quarter of an hour before an onset in it. */
const CHANGES_BEFORE_MS = 75 * 60_000;
const MOST_CHANGES = 1000;
/** Afterwards the answer is given from what is there. */
const LONGEST_MS = 30_000;

/** Runs investigations over the sources of this server. */
export function createInvestigator({ engine, traces, estate, clock }: InvestigatorOptions) {
  return async (
    id: string,
    request: InvestigationRequest,
    scope: Scope,
    stop?: AbortSignal,
  ): Promise<Investigation> => {
    const signal = deadline(LONGEST_MS, stop);
    const started = clock.monotonic();
    const { from, to } = request.window;
    const [snapshot, changes] = await Promise.all([
      estate.at(to, scope, signal),
      estate.changes(
        { from: Math.min(from, request.baseline?.from ?? from) - CHANGES_BEFORE_MS, to, limit: MOST_CHANGES },
        scope,
        signal,
      ),
    ]);
    await mustBeKnown(request, snapshot, (ms) => estate.at(ms, scope, signal));
    const evidence = createEvidenceSource({
      engine,
      ...(traces ? { traces } : {}),
      estate: snapshot,
      scope,
      clock,
      signal,
      mostQueries: MOST_QUERIES,
    });
    const result = await investigate({ id, request, scope, estate: snapshot, changes, evidence, now: clock.now() });
    return { ...result, tookMs: Math.round(clock.monotonic() - started) };
  };
}

/** What was there at the beginning of the window and is gone at its end can be asked about; what never was, can't. */
async function mustBeKnown(
  { subject, window }: InvestigationRequest,
  atEnd: EstateSnapshot,
  estateAt: (ms: number) => Promise<EstateSnapshot>,
): Promise<void> {
  if (atEnd.get(subject) || (await estateAt(window.from)).get(subject)) return;
  throw new ApiError('not_found', `${subject} was not known in the window`, {
    path: 'subject',
    hint: 'GET /api/entities lists what is known; ?q= searches by name.',
  });
}
