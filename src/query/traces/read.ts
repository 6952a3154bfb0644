import type { Span, SpanEvent, SpanKind, SpanLink, SpanStatus } from '../../model/index.ts';
import { type ClickHousePort, type QueryLimits, selectRows } from '../../store/index.ts';
import { type Row, readAttributes, readId, readInteger, readPlace, readScope, readText } from '../stored-attributes.ts';
import type { ServiceEdgeStats, ServiceStats, SpanSeries, TraceRead, TraceReader, TraceSummary } from './contract.ts';
import {
  countStatement,
  edgesStatement,
  measureStatement,
  searchStatement,
  servicesStatement,
  spansStatement,
  timesStatement,
} from './statements.ts';

/** Of one statement, unless the configuration says otherwise. */
const LIMITS: QueryLimits = { seconds: 20, memoryBytes: 256 * 1024 ** 2 };
/** Beyond this many spans, calls are counted from every n-th trace and scaled. */
const SPANS_JOINED = 1_000_000;

export function createTraceReader(port: ClickHousePort, limits: QueryLimits = LIMITS): TraceReader {
  const select = (statement: ReturnType<typeof searchStatement>, { signal }: TraceRead) =>
    selectRows(port, statement, { limits, ...(signal ? { signal } : {}) });
  return {
    search: async (query, read) => (await select(searchStatement(query, read.scope), read)).map(toSummary),
    async byId(traceId, read) {
      if (!/^[0-9a-f]{1,32}$/i.test(traceId)) return [];
      const [times] = await select(timesStatement(traceId), read);
      if (!times || Number(readInteger(times.found)) === 0) return [];
      const range = { firstNs: readInteger(times.earliest), lastNs: readInteger(times.latest) };
      return (await select(spansStatement(traceId, range, read.scope), read)).map(toSpan);
    },
    async edges(query, read) {
      const [counted] = await select(countStatement(query, read.scope), read);
      const every = Math.max(1, Math.ceil(Number(readInteger(counted?.spans)) / SPANS_JOINED));
      return (await select(edgesStatement({ ...query, every }, read.scope), read)).flatMap((row) => toEdge(row, every));
    },
    services: async (query, read) => (await select(servicesStatement(query, read.scope), read)).map(toService),
    async measure(query, read) {
      if (query.services.length === 0) return [];
      return toSeries(await select(measureStatement(query, read.scope), read));
    },
  };
}

function toSummary(row: Row): TraceSummary {
  return {
    traceId: readText(row.id),
    rootService: readText(row.root_service),
    rootName: readText(row.root_name),
    startMs: Number(readInteger(row.first) / 1_000_000n),
    durationSeconds: seconds(readInteger(row.last) - readInteger(row.first)),
    spans: Number(readInteger(row.spans)),
    errors: Number(readInteger(row.errors)),
  };
}

function toSpan(row: Row): Span {
  const startNs = readInteger(row.start);
  return {
    traceId: readId(row.trace_id),
    spanId: readId(row.span_id),
    parentSpanId: readId(row.parent_span_id),
    name: readText(row.name),
    kind: readText(row.kind) as SpanKind, // written from a Span
    status: readText(row.status) as SpanStatus, // written from a Span
    startNs,
    endNs: startNs + readInteger(row.duration_ns),
    statusMessage: readText(row.status_message),
    resource: readAttributes(row.resource, row.resource_types),
    attributes: readAttributes(row.attributes, row.attribute_types),
    scope: readScope(row),
    events: readEvents(row),
    links: readLinks(row),
    traceState: readText(row.trace_state),
    flags: Number(readInteger(row.flags)),
    place: readPlace(row),
  };
}

/** Events and links lie in parallel arrays. */
function readEvents(row: Row): SpanEvent[] {
  const names = items(row.event_names);
  const attributes = items(row.event_attributes);
  const types = items(row.event_attribute_types);
  return items(row.event_times).map((time, i) => ({
    timeNs: readInteger(time),
    name: readText(names[i]),
    attributes: readAttributes(attributes[i], types[i]),
  }));
}

function readLinks(row: Row): SpanLink[] {
  const spanIds = items(row.link_span_ids);
  const attributes = items(row.link_attributes);
  const types = items(row.link_attribute_types);
  const states = items(row.link_trace_states);
  const flags = items(row.link_flags);
  return items(row.link_trace_ids).map((traceId, i) => {
    const traceState = readText(states[i]);
    const flag = Number(readInteger(flags[i]));
    return {
      traceId: readId(traceId),
      spanId: readId(spanIds[i]),
      ...(traceState === '' ? {} : { traceState }),
      ...(flag === 0 ? {} : { flags: flag }),
      attributes: readAttributes(attributes[i], types[i]),
    };
  });
}

type Value = Row[string] | undefined;

/** Arrays of plain numbers come typed, others as they are. */
function items(column: Value): readonly Value[] {
  if (Array.isArray(column)) return column;
  if (column instanceof BigInt64Array) return Array.from(column);
  return column instanceof Uint32Array ? Array.from(column) : [];
}

function toEdge(row: Row, every: number): ServiceEdgeStats[] {
  const callee = readText(row.callee);
  const dependency = readText(row.dependency);
  if (callee === '' && dependency === '') return [];
  const cluster = readText(row.cluster);
  return [
    {
      cluster,
      from: readText(row.caller),
      to:
        callee === ''
          ? { kind: 'dependency', name: dependency, system: readText(row.system) }
          : { kind: 'service', cluster: readText(row.callee_cluster), name: callee },
      requests: Number(readInteger(row.requests)) * every,
      errors: Number(readInteger(row.errors)) * every,
      durationSeconds: seconds(readInteger(row.duration)) * every,
    },
  ];
}

function toService(row: Row): ServiceStats {
  return {
    cluster: readText(row.cluster),
    service: readText(row.service),
    namespace: readText(row.namespace),
    workload: readText(row.workload),
    pod: readText(row.pod),
    requests: Number(readInteger(row.requests)),
    errors: Number(readInteger(row.errors)),
    durationSeconds: seconds(readInteger(row.duration)),
    lastSeenMs: Number(readInteger(row.latest) / 1_000_000n),
  };
}

/** Rows come ordered by service and time. */
function toSeries(rows: readonly Row[]): SpanSeries[] {
  const points = new Map<string, { times: number[]; values: number[] }>();
  for (const row of rows) {
    const service = readText(row.service);
    const series = points.get(service) ?? { times: [], values: [] };
    series.times.push(Number(readInteger(row.point)));
    series.values.push(Number(row.value));
    points.set(service, series);
  }
  return [...points].map(([service, { times, values }]) => ({
    service,
    timesMs: Float64Array.from(times),
    values: Float64Array.from(values),
  }));
}

function seconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e9;
}
