import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/index.ts';
import { type Entity, type EstateSnapshot, formatTime, parseRef, type Relation } from '../../model/index.ts';
import type { EstateReader } from '../../understand/estate/index.ts';
import {
  type ChangesResponse,
  type EntitiesResponse,
  type EntityDetail,
  entitiesQuery,
  entityQuery,
  rangeQuery,
} from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { toChange } from './changes.ts';
import { signalOf } from './client-signal.ts';
import { toSummary } from './entity-summary.ts';
import { readRange, readTime } from './request-time.ts';

export interface EntityRoutesOptions {
  estate: EstateReader;
  clock: Clock;
}

/** `/api/entities`: list, one with its neighbourhood, its changes. A reference may stand in the path as it is or percent-encoded. */
export function entityRoutes({ estate, clock }: EntityRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/entities', async (request, reply): Promise<EntitiesResponse> => {
      const query = entitiesQuery.parse(request.query);
      const snapshot = await estate.at(momentOf(query.at, clock.now()), request.scope, signalOf(reply));
      const alias = query.kind === 'model' ? 'model' : undefined;
      const found = candidates(snapshot, query.kind)
        .filter((entity) => query.cluster === undefined || entity.cluster === query.cluster)
        .filter((entity) => query.namespace === undefined || entity.namespace === query.namespace)
        .filter((entity) => query.q === undefined || matches(entity, query.q.toLowerCase()))
        .sort((a, b) => (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0));
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const rest = after === undefined ? found : found.filter((entity) => entity.ref > after);
      const page = rest.slice(0, query.limit);
      const last = page.at(-1);
      return {
        items: page.map((entity) => toSummary(snapshot, entity, alias)),
        next: last && rest.length > page.length ? Buffer.from(last.ref).toString('base64url') : null,
      };
    });

    app.get('/api/entities/*', async (request, reply) => {
      const { ref, part } = readPath(request);
      if (part === 'coverage') {
        // That route takes the reference as one percent-encoded segment.
        const search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
        return reply.redirect(`/api/entities/${encodeURIComponent(ref)}/coverage${search}`, 307);
      }
      if (part === 'changes') return changesOf(request, ref, signalOf(reply));
      const { at } = entityQuery.parse(request.query);
      const ms = momentOf(at, clock.now());
      const snapshot = await estate.at(ms, request.scope, signalOf(reply));
      const entity = snapshot.get(ref);
      if (!entity) throw unknownEntity(ref);
      const detail = toDetail(snapshot, entity, ms, ref.startsWith('model:'));
      return part === 'related' ? { relations: detail.relations, related: detail.related } : detail;
    });
  };

  async function changesOf(request: FastifyRequest, ref: string, signal: AbortSignal): Promise<ChangesResponse> {
    const range = readRange(rangeQuery.parse(request.query), clock.now());
    const changes = await estate.changes({ ...range, entity: ref }, request.scope, signal);
    if (changes.length === 0 && !(await estate.at(range.to, request.scope, signal)).get(ref)) throw unknownEntity(ref);
    return changes.map(toChange);
  }
}

function unknownEntity(ref: string): ApiError {
  return new ApiError('not_found', `no entity ${ref} is known at that time`, {
    path: 'ref',
    hint: 'It may have been deleted, or lie outside what you may see. GET /api/entities?q= finds by name and uid.',
  });
}

const PARTS = ['changes', 'related', 'coverage'] as const;

/**
 * The reference in the path. Slashes and colons may be raw, so what the last segment is shows only when the whole is no
 * reference; a reference's own encoding (`pod%2Fcontainer`) survives when the path was not encoded once more.
 */
function readPath(request: FastifyRequest): { ref: string; part: (typeof PARTS)[number] | undefined } {
  const raw = (request.url.split('?', 1)[0] ?? '').slice('/api/entities/'.length);
  const whole = asReference(raw);
  if (whole !== undefined) return { ref: whole, part: undefined };
  const cut = raw.lastIndexOf('/');
  const part = PARTS.find((name) => name === raw.slice(cut + 1));
  const ref = part && asReference(raw.slice(0, cut));
  if (ref !== undefined) return { ref, part };
  throw new ApiError('bad_request', `${raw} is no entity reference`, {
    path: 'ref',
    hint: 'kind:cluster/namespace/name, such as pod:prod-eu/inference/llama-0',
  });
}

function asReference(raw: string): string | undefined {
  if (parseRef(raw)) return raw;
  try {
    const decoded = decodeURIComponent(raw);
    return parseRef(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function momentOf(at: string | undefined, nowMs: number): number {
  return at === undefined ? nowMs : Math.min(nowMs, readTime(at, 'at', nowMs));
}

function candidates(snapshot: EstateSnapshot, kind: Entity['kind'] | undefined): Entity[] {
  if (kind === undefined) return [...snapshot.entities];
  if (kind !== 'model') return [...snapshot.ofKind(kind)];
  return snapshot.ofKind('workload').filter((workload) => workload.facts.engine !== undefined);
}

function matches(entity: Entity, q: string): boolean {
  const { ip, internalIP, node, model, image } = entity.facts;
  const texts = [entity.name, entity.uid, entity.ref, ip, internalIP, image, entity.kind === 'gpu' ? node : '', model];
  return texts.flat().some((text) => typeof text === 'string' && text.toLowerCase().includes(q));
}

function readCursor(cursor: string): string {
  const ref = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!parseRef(ref)) throw new ApiError('bad_request', 'cursor: not one of ours', { path: 'cursor' });
  return ref;
}

function toDetail(snapshot: EstateSnapshot, entity: Entity, atMs: number, asModel: boolean): EntityDetail {
  const relations = neighbourhood(snapshot, entity);
  const refs = new Set(relations.flatMap((relation) => [relation.from, relation.to]));
  refs.delete(entity.ref);
  return {
    ...toSummary(snapshot, entity, asModel ? 'model' : undefined),
    at: formatTime(atMs),
    relations,
    related: [...refs].flatMap((ref) => snapshot.get(ref) ?? []).map((other) => toSummary(snapshot, other)),
    ...(entity.kind === 'gpu' ? { gpu: gpuDetail(snapshot, entity) } : {}),
  };
}

/** Its own relations, and for a workload also what its pods run on and use. */
function neighbourhood(snapshot: EstateSnapshot, entity: Entity): Relation[] {
  const own = snapshot.relationsOf(entity.ref);
  if (entity.kind !== 'workload') return [...own];
  const pods = snapshot.to(entity.ref, 'contains', 'pod');
  const standing = pods.flatMap((pod) =>
    snapshot
      .relationsOf(pod.ref)
      .filter((relation) => relation.from === pod.ref && (relation.kind === 'runs-on' || relation.kind === 'uses')),
  );
  return [...own, ...standing];
}

function gpuDetail(snapshot: EstateSnapshot, gpu: Entity): NonNullable<EntityDetail['gpu']> {
  const fact = (name: string) => String(gpu.facts[name] ?? '');
  const facts = (name: string) => [gpu.facts[name] ?? []].flat().map(String);
  const uses = snapshot.relationsOf(gpu.ref).filter((relation) => relation.kind === 'uses' && relation.to === gpu.ref);
  return {
    uuid: fact('uuid'),
    index: fact('index'),
    node: fact('node'),
    model: fact('model'),
    memoryBytes: typeof gpu.facts.memoryBytes === 'number' ? gpu.facts.memoryBytes : null,
    mig: facts('mig'),
    allocations: facts('allocations').flatMap((container) => {
      const pod = snapshot.from(container, 'contains', 'pod')[0]?.ref;
      const use = uses.find((relation) => relation.from === pod);
      return use ? [{ container, share: use.share ?? 1, confidence: use.confidence }] : [];
    }),
    unreadable: facts('unreadable').map((signal) => ({ signal, reason: 'the exporter sends a blank value' })),
    xid: [],
  };
}
