import { setMaxListeners } from 'node:events';
import type { FastifyPluginAsync } from 'fastify';
import { type Clock, createSemaphore, isAbort, newId } from '../../base/index.ts';
import {
  formatTime,
  type Investigation,
  type InvestigationRequest,
  parseRef,
  QUESTIONS,
  type Scope,
  scopeAllows,
  type TimeRange,
} from '../../model/index.ts';
import {
  type InvestigationBody,
  type InvestigationRequestBody,
  type InvestigationsResponse,
  investigationRequest,
  pageQuery,
} from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { readTime } from './request-time.ts';

export interface InvestigationRoutesOptions {
  /** Runs one; the id is given so that it can be asked for while it runs. `signal` aborts when the server stops. */
  run(id: string, request: InvestigationRequest, scope: Scope, signal: AbortSignal): Promise<Investigation>;
  records: InvestigationRecords;
  clock: Clock;
}

/** What is kept of finished investigations. */
export interface InvestigationRecords {
  save(record: KeptInvestigation): Promise<void>;
  get(id: string): Promise<KeptInvestigation | undefined>;
  /** Newest first; `next` continues where this page ended. */
  list(page: { limit: number; cursor?: string }): Promise<{ items: KeptInvestigation[]; next: string | undefined }>;
}

export interface KeptInvestigation {
  id: string;
  createdMs: number;
  /** The answer as it went out. */
  body: InvestigationBody;
}

/** Each puts up to 200 queries to the store; more at once would only make all of them slow. */
const AT_ONCE = 4;
const MOST_WAITING = 32;
/** A caller waits this long; afterwards it asks again by id. */
const PATIENCE_MS = 10_000;
/** Failed ones can be asked for this long; finished ones are kept. */
const FAILURES_KEPT = 100;

/** `/api/investigations`: ask, wait, look again, list. */
export function investigationRoutes(options: InvestigationRoutesOptions): FastifyPluginAsync {
  const { clock, records } = options;
  const gate = createSemaphore(AT_ONCE);
  const stopping = new AbortController();
  // One for each that waits: bounded by the queue.
  setMaxListeners(0, stopping.signal);
  const running = new Map<string, { scope: Scope; subject: string }>();
  const failed = new Map<string, { scope: Scope; subject: string; message: string }>();

  async function work(id: string, request: InvestigationRequest, scope: Scope): Promise<InvestigationBody> {
    const createdMs = clock.now();
    running.set(id, { scope, subject: request.subject });
    const { signal } = stopping;
    const inTurn = () => gate.run(() => options.run(id, request, scope, signal), signal);
    try {
      const body = toBody(await inTurn(), createdMs);
      await records.save({ id, createdMs, body });
      return body;
    } catch (error) {
      failed.set(id, {
        scope,
        subject: request.subject,
        message: isAbort(error) ? 'it took too long' : messageOf(error),
      });
      for (const oldest of failed.keys()) {
        if (failed.size <= FAILURES_KEPT) break;
        failed.delete(oldest);
      }
      throw error;
    } finally {
      running.delete(id);
    }
  }

  return async (app) => {
    app.addHook('onClose', async () => stopping.abort());
    app.post('/api/investigations', async (request, reply) => {
      if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
        throw new ApiError('unsupported_media_type', 'send the request as application/json');
      }
      const asked = toRequest(investigationRequest.parse(request.body), clock.now());
      if (gate.running >= AT_ONCE && gate.waiting >= MOST_WAITING) {
        throw new ApiError('busy', `${AT_ONCE} investigations run and ${MOST_WAITING} wait for their turn`);
      }
      const id = newId('inv');
      const done = work(id, asked, request.scope);
      const gaveUp = new AbortController();
      const patience = clock.sleep(PATIENCE_MS, gaveUp.signal).then(
        () => undefined,
        () => undefined,
      );
      // After the time-out nobody waits for it any more; its failure is kept for who asks by id.
      done.catch(() => undefined);
      const body = await Promise.race([done, patience]);
      gaveUp.abort();
      if (body) return reply.status(201).header('location', `/api/investigations/${id}`).send(body);
      return reply.status(202).header('location', `/api/investigations/${id}`).send({ id, state: 'running' });
    });

    app.get<{ Params: { id: string } }>('/api/investigations/:id', async (request, reply) => {
      const { id } = request.params;
      const kept = await records.get(id);
      if (kept && maySee(request.scope, kept.body.subject)) return kept.body;
      const now = running.get(id);
      if (now && maySee(request.scope, now.subject)) return reply.status(202).send({ id, state: 'running' });
      const lost = failed.get(id);
      if (lost && maySee(request.scope, lost.subject)) return { id, state: 'failed', message: lost.message };
      throw new ApiError('not_found', `there is no investigation ${id}`, { path: 'id' });
    });

    app.get('/api/investigations', async (request): Promise<InvestigationsResponse> => {
      const { limit, cursor } = pageQuery.parse(request.query);
      const { items, next } = await visiblePage(records, request.scope, limit, cursor);
      return {
        items: items.map(({ id, createdMs, body }) => ({
          id,
          createdAt: formatTime(createdMs),
          subject: body.subject,
          symptom: body.symptom,
          verdict: body.verdict,
          headline: body.headline,
          confidence: body.confidence,
        })),
        next: next ?? null,
      };
    });
  };
}

/** Looks this many times for more when a scope hides what was found; `next` then goes on from there. */
const MOST_LOOKS = 20;

async function visiblePage(records: InvestigationRecords, scope: Scope, limit: number, cursor: string | undefined) {
  const items: KeptInvestigation[] = [];
  let next = cursor;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const page = await records.list({ limit: limit - items.length, ...(next === undefined ? {} : { cursor: next }) });
    items.push(...page.items.filter(({ body }) => maySee(scope, body.subject)));
    next = page.next;
    if (next === undefined || items.length >= limit) break;
  }
  return { items, next };
}

function maySee(scope: Scope, subject: string): boolean {
  const parts = parseRef(subject);
  return parts !== undefined && scopeAllows(scope, parts.cluster, parts.namespace || undefined);
}

function toRequest(body: InvestigationRequestBody, now: number): InvestigationRequest {
  if (!parseRef(body.subject)) {
    const hint = 'An entity reference such as workload:prod-eu/inference/llama-3-70b.';
    throw new ApiError('bad_request', `subject: ${JSON.stringify(body.subject)} is no entity reference`, {
      path: 'subject',
      hint,
    });
  }
  return {
    subject: body.subject,
    ...(body.symptom ? { symptom: body.symptom } : {}),
    window: toRange(body, now, ''),
    ...(body.baseline ? { baseline: toRange(body.baseline, now, 'baseline.') } : {}),
  };
}

const LONGEST_MS = 31 * 86_400_000;

function toRange({ from, to }: { from: string; to: string }, now: number, path: string): TimeRange {
  const range = { from: readTime(from, `${path}from`, now), to: Math.min(readTime(to, `${path}to`, now), now) };
  if (range.from >= range.to)
    throw new ApiError('bad_request', `${path}from must lie before to, and before now`, { path: `${path}from` });
  if (range.to - range.from > LONGEST_MS)
    throw new ApiError('bad_request', `${path}from: more than 31 days`, { path: `${path}from` });
  return range;
}

function toBody(result: Investigation, createdMs: number): InvestigationBody {
  const range = ({ from, to }: TimeRange) => ({ from: formatTime(from), to: formatTime(to) });
  return {
    ...result,
    state: 'done',
    createdAt: formatTime(createdMs),
    window: range(result.window),
    baseline: range(result.baseline),
    onset: result.onset
      ? { at: formatTime(result.onset.at), low: formatTime(result.onset.low), high: formatTime(result.onset.high) }
      : null,
    causes: result.causes.map(({ change, since, ...cause }) => ({
      ...cause,
      since: formatTime(since),
      ...(change
        ? { change: { id: change.id, at: formatTime(change.atMs), entity: change.entity, summary: change.summary } }
        : {}),
    })),
    questions: result.questions.map((answer) => ({ ...answer, text: QUESTIONS[answer.id] })),
    phases: result.phases.map((phase) => ({
      ...phase,
      before: finite(phase.before),
      during: finite(phase.during),
      share: finite(phase.share),
    })),
    subsets: result.subsets.map((subset) => ({
      ...subset,
      before: finite(subset.before),
      during: finite(subset.during),
      lift: finite(subset.lift),
    })),
    evidence: result.evidence.map(({ query, before, during, ...entry }) => ({
      ...entry,
      query: { ...query, from: formatTime(query.from), to: formatTime(query.to) },
      before: before ?? null,
      during: during ?? null,
    })),
  };
}

/** JSON has no NaN: what has no value on one side says so. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
