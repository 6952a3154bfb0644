import type { Scope, TimeRange } from '../../model/index.ts';
import type { Statement } from '../../store/index.ts';
import { all, always, during, equals, oneOf, placesCondition, scopeCondition } from '../conditions.ts';
import { bind, joinSql, type Sql, sql, statement, text } from '../sql/index.ts';
import type { SpanMeasureQuery, TraceSearch } from './contract.ts';

const IS_ROOT = sql`parent_span_id = unhex('0000000000000000')`;
const START_NS = sql`toUnixTimestamp64Nano(start)`;
const IDENTITY = sql`trace_id, span_id, kind, service`;
const SERVED = sql`kind IN ('server', 'consumer')`;
const CALLED = sql`kind IN ('client', 'producer')`;
const MOST_SPANS = 20_000;

export function searchStatement(query: TraceSearch, scope: Scope): Statement {
  const visible = visibleSpans(query, scope);
  const having: Sql[] = [];
  if (query.minDurationSeconds !== undefined) {
    having.push(sql`last - first >= ${bind('Int64', BigInt(Math.round(query.minDurationSeconds * 1e9)))}`);
  }
  if (query.errorsOnly) having.push(sql`errors > 0`);
  // Only where nothing else decides can the newest traces be picked before they are put together.
  const pick =
    query.order === 'newest' && having.length === 0 ? sql`ORDER BY max(start) DESC LIMIT ${query.limit}` : sql``;
  return statement(sql`SELECT lower(hex(trace_id)) AS id,
  argMin(service, (NOT ${IS_ROOT}, start)) AS root_service, argMin(name, (NOT ${IS_ROOT}, start)) AS root_name,
  min(${START_NS}) AS first, max(${START_NS} + duration_ns) AS last,
  uniqExact(span_id, kind, service) AS spans, uniqExactIf((span_id, kind, service), status = 'error') AS errors
FROM spans WHERE ${visible}
  AND trace_id IN (SELECT trace_id FROM spans WHERE ${visible} AND ${placesCondition(query.places)} GROUP BY trace_id ${pick})
GROUP BY trace_id HAVING ${all(having)}
ORDER BY ${query.order === 'newest' ? sql`first` : sql`(last - first)`} DESC LIMIT ${query.limit}`);
}

export function timesStatement(traceId: string): Statement {
  return statement(sql`SELECT count() AS found, toUnixTimestamp64Nano(min(first)) AS earliest, toUnixTimestamp64Nano(max(last)) AS latest
FROM trace_times WHERE trace_id = ${idOf(traceId)}`);
}

export function spansStatement(traceId: string, times: { firstNs: bigint; lastNs: bigint }, scope: Scope): Statement {
  const time = (ns: bigint) => sql`fromUnixTimestamp64Nano(${bind('Int64', ns)}, 'UTC')`;
  return statement(sql`SELECT start, duration_ns, cluster, namespace, workload, pod, container, node, service, name, kind, status,
  status_message, trace_id, span_id, parent_span_id, resource, resource_types, attributes, attribute_types,
  scope_name, scope_version, scope_attributes, schema_url, event_times, event_names, event_attributes, event_attribute_types,
  link_trace_ids, link_span_ids, link_attributes, link_attribute_types, link_trace_states, link_flags, trace_state, flags
FROM spans WHERE start >= ${time(times.firstNs)} AND start <= ${time(times.lastNs)} AND trace_id = ${idOf(traceId)}
  AND ${scopeCondition(scope)}
ORDER BY start LIMIT 1 BY ${IDENTITY} LIMIT ${MOST_SPANS}`);
}

function idOf(traceId: string): Sql {
  return sql`unhex(${text(traceId.toLowerCase().padStart(32, '0'))})`;
}

interface StatsQuery {
  range: TimeRange;
  cluster?: string;
}

function visibleSpans({ range, cluster }: StatsQuery, scope: Scope): Sql {
  return all([during(sql`start`, range), scopeCondition(scope), ...equals(sql`cluster`, cluster)]);
}

export function countStatement(query: StatsQuery, scope: Scope): Statement {
  return statement(sql`SELECT count() AS spans FROM spans WHERE ${visibleSpans(query, scope)}`);
}

/**
 * Calls as their callers saw them: a span of one service whose parent is a span of another; and client spans that no
 * server span answers, by the address that they called. Of every `every`-th trace.
 */
export function edgesStatement(query: StatsQuery & { every: number }, scope: Scope): Statement {
  const sample = query.every === 1 ? always : sql`cityHash64(trace_id) % ${query.every} = 0`;
  const visible = sql`${visibleSpans(query, scope)} AND ${sample} AND service != ''`;
  return statement(sql`SELECT cluster, caller, callee_cluster, callee, dependency, any(system) AS system,
  count() AS requests, countIf(status = 'error') AS errors, sum(duration_ns) AS duration
FROM (
  SELECT p.cluster AS cluster, p.service AS caller, c.cluster AS callee_cluster, c.service AS callee,
    if(c.service = '', p.called, '') AS dependency, p.system AS system, p.status AS status, p.duration_ns AS duration_ns
  FROM (
    SELECT trace_id, span_id, cluster, service, status, duration_ns, if(${CALLED}, ${DEPENDENCY}, '') AS called, ${SYSTEM} AS system
    FROM spans WHERE ${visible} LIMIT 1 BY ${IDENTITY}
  ) AS p
  LEFT JOIN (
    SELECT trace_id, parent_span_id, cluster, service FROM spans
    WHERE ${visible} AND ${SERVED} AND NOT ${IS_ROOT} LIMIT 1 BY ${IDENTITY}
  ) AS c ON p.trace_id = c.trace_id AND p.span_id = c.parent_span_id
)
WHERE callee != '' OR dependency != ''
GROUP BY cluster, caller, callee_cluster, callee, dependency
ORDER BY cluster, caller, callee, dependency`);
}

/** The first that is there of what was called, and of the kind of system, in stable and older spellings of the conventions. */
const DEPENDENCY = firstOf([
  'peer.service',
  'server.address',
  'net.peer.name',
  'http.host',
  'db.system.name',
  'db.system',
  'messaging.system',
]);
const SYSTEM = firstOf([
  'db.system.name',
  'db.system',
  'messaging.system',
  'gen_ai.provider.name',
  'gen_ai.system',
  'rpc.system',
]);

function firstOf(attributes: readonly string[]): Sql {
  const values = attributes.map((name) => sql`nullIf(attributes[${text(name)}], '')`);
  return sql`coalesce(${joinSql(values, ', ', sql`''`)}, '')`;
}

export function servicesStatement(query: StatsQuery, scope: Scope): Statement {
  return statement(sql`SELECT cluster, service, namespace, workload, pod, countIf(${SERVED}) AS requests,
  countIf(${SERVED} AND status = 'error') AS errors, sumIf(duration_ns, ${SERVED}) AS duration, max(${START_NS}) AS latest
FROM spans WHERE ${visibleSpans(query, scope)} AND service != ''
GROUP BY cluster, service, namespace, workload, pod ORDER BY cluster, service, namespace, workload, pod`);
}

const STATS = {
  mean: sql`avg(duration_ns)`,
  p50: sql`quantileTDigest(0.5)(duration_ns)`,
  p90: sql`quantileTDigest(0.9)(duration_ns)`,
  p95: sql`quantileTDigest(0.95)(duration_ns)`,
  p99: sql`quantileTDigest(0.99)(duration_ns)`,
};

/** A span belongs to the first point at or after its start. */
export function measureStatement(query: SpanMeasureQuery, scope: Scope): Statement {
  const { range, stepMs, cluster, services, side, callee, measure, stat = 'p95' } = query;
  const spans = { from: range.from - stepMs + 1, to: range.to };
  const from = sql`${bind('Int64', BigInt(range.from))}`;
  const step = sql`${bind('Int64', BigInt(stepMs))}`;
  const where = [
    visibleSpans({ range: spans, cluster }, scope),
    ...oneOf(sql`service`, services),
    side === 'service' ? SERVED : CALLED,
  ];
  if (side === 'edge' && callee !== undefined)
    where.push(callsTo(callee, cluster, { from: spans.from, to: spans.to + stepMs }, scope));
  const count = measure === 'errors' ? sql`countIf(status = 'error')` : sql`count()`;
  const value = measure === 'duration' ? sql`${STATS[stat]} / 1e9` : sql`${count} / (${step} / 1000)`;
  return statement(sql`SELECT service, ${from} + toInt64(ceil((${START_NS} / 1e6 - ${from}) / ${step})) * ${step} AS point, toFloat64(${value}) AS value
FROM spans WHERE ${all(where)} GROUP BY service, point ORDER BY service, point`);
}

function callsTo(callee: string, cluster: string, range: TimeRange, scope: Scope): Sql {
  const answers = all([visibleSpans({ range, cluster }, scope), ...equals(sql`service`, callee), SERVED]);
  return sql`(${DEPENDENCY} = ${text(callee)}
  OR (trace_id, span_id) IN (SELECT trace_id, parent_span_id FROM spans WHERE ${answers}))`;
}
