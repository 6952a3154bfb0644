import { queryOptions } from '@tanstack/react-query';
import type {
  ChangesResponse,
  CoverageResponse,
  EntitiesResponse,
  EntityDetail,
  EventsResponse,
  InvestigationBody,
  InvestigationsResponse,
  LogsResponse,
  SignalResponse,
  SignalsResponse,
  StatusResponse,
  TelemetryResponse,
  TraceResponse,
  TracesResponse,
} from '../api/contract/index.ts';
import type { EntityKind } from '../model/index.ts';
import { getJson, type Params } from './client.ts';
import type { PageRange } from './range.ts';

/**
 * What pages ask the server, as query options. A key is `[what, about, window]`: while only the window moves on, the
 * old answer stays on the page until the new one is there.
 */
function ask<T>(what: string, about: Params, window: Params, path: string, params: Params) {
  return queryOptions<T, Error, T, readonly [string, Params, Params]>({
    queryKey: [what, about, window],
    queryFn: ({ signal }) => getJson<T>(path, params, signal),
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey.slice(0, 2)) === JSON.stringify([what, about]) ? before : undefined,
  });
}

export type Window = Pick<PageRange, 'from' | 'to'>;

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
export const entitiesQuery = (about: EntitiesAsk, tick: number) =>
  ask<EntitiesResponse>('entities', { ...about }, { tick }, '/api/entities', { limit: 5000, ...about });

export const entityQuery = (ref: string, tick: number) =>
  ask<EntityDetail>('entity', { ref }, { tick }, `/api/entities/${encodeURIComponent(ref)}`, {});

export const coverageQuery = (ref: string) =>
  ask<CoverageResponse>('coverage', { ref }, {}, `/api/entities/${encodeURIComponent(ref)}/coverage`, {});

export const signalQuery = ({ name, entity, by, stat }: SignalAsk, range: PageRange) => {
  const window = { ...windowOf(range), step: range.step };
  const path = `/api/signals/${encodeURIComponent(name)}`;
  return ask<SignalResponse>('signal', { name, entity, by, stat }, window, path, { entity, by, stat, ...window });
};

export const signalCatalogueQuery = () => ({
  ...ask<SignalsResponse>('signals', {}, {}, '/api/signals', {}),
  staleTime: Number.POSITIVE_INFINITY,
});

export const changesQuery = (about: { entity?: string; cluster?: string | undefined }, window: Window) =>
  ask<ChangesResponse>('changes', { ...about }, windowOf(window), '/api/changes', { ...about, ...windowOf(window) });

export const eventsQuery = (about: { entity?: string; cluster?: string | undefined }, window: Window) =>
  ask<EventsResponse>('events', { ...about }, windowOf(window), '/api/events', { ...about, ...windowOf(window) });

export interface LogsAsk {
  entity?: string | undefined;
  cluster?: string | undefined;
  q?: string | undefined;
  severity?: string | undefined;
  traceId?: string | undefined;
  limit?: number;
}
export const logsQuery = (about: LogsAsk, window: Window) =>
  ask<LogsResponse>('logs', { ...about }, windowOf(window), '/api/logs', { ...about, ...windowOf(window) });

export interface TracesAsk {
  entity?: string | undefined;
  cluster?: string | undefined;
  minDuration?: number | undefined;
  errors?: boolean | undefined;
  order?: 'newest' | 'slowest';
  limit?: number;
}
export const tracesQuery = (about: TracesAsk, window: Window) =>
  ask<TracesResponse>('traces', { ...about }, windowOf(window), '/api/traces', { ...about, ...windowOf(window) });

export const traceQuery = (id: string) =>
  ask<TraceResponse>('trace', { id }, {}, `/api/traces/${encodeURIComponent(id)}`, {});

export const investigationsQuery = (tick: number) =>
  ask<InvestigationsResponse>('investigations', {}, { tick }, '/api/investigations', {});

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

export const telemetryQuery = (tick: number) => ask<TelemetryResponse>('telemetry', {}, { tick }, '/api/telemetry', {});

/** A matrix of the Prometheus API. */
export interface PromMatrix {
  status: 'success';
  data: { resultType: string; result: { metric: Record<string, string>; values: [number, string][] }[] };
  warnings?: string[];
  infos?: string[];
}

export const promRangeQuery = (query: string, range: PageRange) => {
  const window = { start: range.from / 1000, end: range.to / 1000, step: range.step };
  return {
    ...ask<PromMatrix>('prometheus', { query }, window, '/prometheus/api/v1/query_range', { query, ...window }),
    retry: false,
  };
};

function windowOf(window: Window): { from: string; to: string } {
  return { from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString() };
}
