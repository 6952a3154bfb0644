import { queryOptions } from '@tanstack/react-query';
import type {
  CardinalityResponse,
  ChangesResponse,
  CoverageResponse,
  EntitiesResponse,
  EntityDetail,
  EventsResponse,
  InvestigationBody,
  InvestigationsResponse,
  LogsResponse,
  RedactionResponse,
  RedactionTestResponse,
  SignalResponse,
  SignalsResponse,
  StatusResponse,
  TelemetryResponse,
  TraceResponse,
  TracesResponse,
} from '../api/contract/index.ts';
import type { EntityKind } from '../model/index.ts';
import { getJson, type Params, postJson } from './client.ts';
import type { PageRange } from './range.ts';

/**
 * What pages ask the server, as query options. A key is `[what, about, window]`. A window that moves with the clock is
 * named by its distance from now, so that each tick asks the same question again: what is there stays until the new
 * answer has come, also when none comes. When another window is chosen, the old answer stays on the page likewise.
 */
function ask<T>(what: string, about: Params, window: Params, path: string, params: Params, isLive = true) {
  return queryOptions<T, Error, T, readonly [string, Params, Params]>({
    queryKey: [what, about, window],
    queryFn: ({ signal }) => getJson<T>(path, params, signal),
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey.slice(0, 2)) === JSON.stringify([what, about]) ? before : undefined,
    meta: { isLive },
  });
}

/** A question about a stretch of time. */
function askOver<T>(what: string, about: Params, range: PageRange, path: string, params: Params) {
  const { from, to, step, isLive, anchor } = range;
  const window = isLive ? { from: from - anchor, to: to - anchor, step, live: true } : { from, to, step };
  return ask<T>(what, about, window, path, params, isLive);
}

export interface SignalAsk {
  name: string;
  entity: string;
  by?: EntityKind | undefined;
  stat?: 'p50' | 'p90' | 'p95' | 'p99' | 'mean' | 'rate' | undefined;
}

export const statusQuery = () => ({
  ...ask<StatusResponse>('status', {}, {}, '/api/status', {}),
  refetchInterval: 30_000,
});

export interface EntitiesAsk {
  kind?: EntityKind;
  cluster?: string | undefined;
  q?: string;
  limit?: number;
}
export const entitiesQuery = (about: EntitiesAsk) =>
  ask<EntitiesResponse>('entities', { ...about }, {}, '/api/entities', { limit: 5000, ...about });

export const entityQuery = (ref: string) =>
  ask<EntityDetail>('entity', { ref }, {}, `/api/entities/${encodeURIComponent(ref)}`, {});

export const coverageQuery = (ref: string) =>
  ask<CoverageResponse>('coverage', { ref }, {}, `/api/entities/${encodeURIComponent(ref)}/coverage`, {}, false);

export const signalQuery = ({ name, entity, by, stat }: SignalAsk, range: PageRange) => {
  const path = `/api/signals/${encodeURIComponent(name)}`;
  const params = { entity, by, stat, ...timesOf(range), step: range.step };
  return askOver<SignalResponse>('signal', { name, entity, by, stat }, range, path, params);
};

export const signalCatalogueQuery = () => ({
  ...ask<SignalsResponse>('signals', {}, {}, '/api/signals', {}, false),
  staleTime: Number.POSITIVE_INFINITY,
});

export const changesQuery = (about: { entity?: string; cluster?: string | undefined }, range: PageRange) =>
  askOver<ChangesResponse>('changes', { ...about }, range, '/api/changes', { ...about, ...timesOf(range) });

export const eventsQuery = (about: { entity?: string; cluster?: string | undefined }, range: PageRange) =>
  askOver<EventsResponse>('events', { ...about }, range, '/api/events', { ...about, ...timesOf(range) });

export interface LogsAsk {
  entity?: string | undefined;
  cluster?: string | undefined;
  q?: string | undefined;
  severity?: string | undefined;
  traceId?: string | undefined;
  limit?: number;
}
export const logsQuery = (about: LogsAsk, range: PageRange) =>
  askOver<LogsResponse>('logs', { ...about }, range, '/api/logs', { ...about, ...timesOf(range) });

export interface TracesAsk {
  entity?: string | undefined;
  cluster?: string | undefined;
  minDuration?: number | undefined;
  errors?: boolean | undefined;
  order?: 'newest' | 'slowest';
  limit?: number;
}
export const tracesQuery = (about: TracesAsk, range: PageRange) =>
  askOver<TracesResponse>('traces', { ...about }, range, '/api/traces', { ...about, ...timesOf(range) });

export const traceQuery = (id: string) =>
  ask<TraceResponse>('trace', { id }, {}, `/api/traces/${encodeURIComponent(id)}`, {}, false);

export const investigationsQuery = () =>
  ask<InvestigationsResponse>('investigations', {}, {}, '/api/investigations', {});

/** A finished investigation never changes; a running one is asked again every second. */
export type InvestigationAnswer =
  | InvestigationBody
  | { id: string; state: 'running' }
  | { id: string; state: 'failed'; message: string };
export const investigationQuery = (id: string) =>
  queryOptions({
    queryKey: ['investigation', { id }],
    queryFn: ({ signal }) => getJson<InvestigationAnswer>(`/api/investigations/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 1000 : false),
    staleTime: (query) => (query.state.data?.state === 'done' ? Number.POSITIVE_INFINITY : 0),
  });

export const telemetryQuery = () => ask<TelemetryResponse>('telemetry', {}, {}, '/api/telemetry', {});

export const cardinalityQuery = (cluster: string | undefined) =>
  ask<CardinalityResponse>('cardinality', { cluster }, {}, '/api/cardinality', { cluster });

export const redactionQuery = () => ask<RedactionResponse>('redaction', {}, {}, '/api/redaction', {});

/** What would be written of a text; the server keeps nothing of it. */
export const testRedaction = (text: string) => postJson<RedactionTestResponse>('/api/redaction/test', { text });

/** A matrix of the Prometheus API. */
export interface PromMatrix {
  status: 'success';
  data: { resultType: string; result: { metric: Record<string, string>; values: [number, string][] }[] };
  warnings?: string[];
  infos?: string[];
}

export const promRangeQuery = (query: string, range: PageRange) => {
  const params = { query, start: range.from / 1000, end: range.to / 1000, step: range.step };
  return {
    ...askOver<PromMatrix>('prometheus', { query }, range, '/prometheus/api/v1/query_range', params),
    retry: false,
  };
};

function timesOf({ from, to }: PageRange): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
