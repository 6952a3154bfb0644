import { type Entity, type EntityKind, type EntityRef, type EstateSnapshot, formatRef } from '../estate/index.ts';
import { membersOf, podNamePattern } from './members.ts';
import { OPENTELEMETRY, OPENTELEMETRY_HOW_TO, type SpanMeasure, spanMeasureOf } from './opentelemetry.ts';
import { compileRecipe } from './recipe.ts';
import type { CanonicalSignal, MissingSignal, Stat } from './signal.ts';
import { findSignal } from './signals.ts';
import type { HomeEntity, SourceSystem, SourceTable } from './source.ts';

export interface SignalRequest {
  signal: string;
  /** Asked about together; with `by` each member of that kind gets its own series, else there is one series for all. */
  of: readonly Entity[];
  by?: EntityKind;
  stat?: Stat;
  /** Only for `edge.*`: calls to this service; left out, to each callee the estate knows. */
  callee?: Entity;
  estate: EstateSnapshot;
  /** Range of rates, in seconds: at least four scrape intervals. */
  windowSeconds: number;
}

export interface SignalPlan {
  signal: CanonicalSignal | undefined;
  queries: PlannedQuery[];
  /** Why there may be nothing, known before asking. */
  missing: MissingSignal[];
}

export type PlannedQuery = PromqlPlan | SpanPlan;

export interface PromqlPlan {
  kind: 'promql';
  system: string;
  /** In order of preference: the first that gives any series is the answer, the others are not added. */
  spellings: readonly { promql: string; entityOf(labels: Readonly<Record<string, string>>): EntityRef | undefined }[];
  /** What brings the signal when nothing answers. */
  fix: string;
}

/** To be measured over spans, when metrics gave nothing: a quantile, mean or rate per step and service. */
export interface SpanPlan {
  kind: 'spans';
  system: typeof OPENTELEMETRY;
  measure: SpanMeasure;
  /** `service`: server spans of the services; `edge`: their calls to `callee`. */
  side: 'service' | 'edge';
  cluster: string;
  services: readonly { service: string; entity: EntityRef }[];
  callee?: string;
  stat: Stat;
  fix: string;
}

/** More groups than this would need a query each: ask about fewer entities. */
const MOST_GROUPS = 50;

/** How to get a canonical signal of entities, from every system that gives it. */
export function planSignal(request: SignalRequest, systems: readonly SourceSystem[]): SignalPlan {
  const signal = findSignal(request.signal);
  if (!signal)
    return {
      signal,
      queries: [],
      missing: [missing(request, 'there is no such signal', 'GET /api/signals lists the names.')],
    };
  const span = spanMeasureOf(signal.name);
  if (span) return planService(request, signal, span, systems);
  const groups = groupsOf(request, signal);
  if (groups.length > MOST_GROUPS) {
    return {
      signal,
      queries: [],
      missing: [
        missing(request, `${groups.length} groups would need a query each`, `Ask about at most ${MOST_GROUPS}.`),
      ],
    };
  }
  const plans = groups.map((group) => planGroup(request, signal, group, systems));
  return { signal, queries: plans.flatMap((p) => p.queries), missing: plans.flatMap((p) => p.missing) };
}

interface Group {
  of: readonly Entity[];
  /** Undefined: each home entity has its own series. */
  as: EntityRef | undefined;
}

function groupsOf(request: SignalRequest, signal: CanonicalSignal): Group[] {
  const { by, of, estate } = request;
  const [first] = of;
  if (!first) return [];
  if (by === undefined) return [{ of, as: first.ref }];
  if (by === signal.home || (by === 'container' && signal.home === 'pod')) return [{ of, as: undefined }];
  const members = new Map(of.flatMap((entity) => membersOf(estate, entity, by)).map((entity) => [entity.ref, entity]));
  return [...members.values()].map((entity) => ({ of: [entity], as: entity.ref }));
}

function planGroup(
  request: SignalRequest,
  signal: CanonicalSignal,
  group: Group,
  systems: readonly SourceSystem[],
): SignalPlan {
  const homes = homesOf(request.estate, group.of, signal);
  if (homes.length === 0) {
    const fix = `Trifocal learns of ${signal.home}s from Kubernetes and from exporter labels; see coverage.`;
    return { signal, queries: [], missing: [missing(request, `no ${signal.home} of it is known`, fix)] };
  }
  const tables = tablesFor(signal, systems);
  if (tables.length === 0) {
    return {
      signal,
      queries: [],
      missing: [missing(request, 'no system in the catalogue gives it yet', 'Map it with a catalogue file.')],
    };
  }
  const queries = tables.flatMap(({ system, table }) =>
    clustersOf(homes.filter(({ entity }) => table.appliesTo?.(entity) ?? true)).map((part) =>
      planTable(request, signal, group, part, system, table),
    ),
  );
  return { signal, queries, missing: [] };
}

function planTable(
  request: SignalRequest,
  signal: CanonicalSignal,
  group: Group,
  homes: readonly HomeEntity[],
  system: SourceSystem,
  table: SourceTable,
): PromqlPlan {
  const recipe = table.signals[signal.name];
  if (!recipe) throw new Error(`${system.name} has no ${signal.name}`);
  const cluster = homes[0]?.entity.cluster ?? '';
  const perContainer = request.by === 'container';
  const spellings = table.identities.flatMap((identity) => {
    const matchers = identity.matchers(homes);
    if (matchers === undefined) return [];
    const grain = perContainer ? [...identity.labels, 'container'] : identity.labels;
    const promql = compileRecipe(recipe, signal, request.stat, {
      matchers: `cluster=${JSON.stringify(cluster)},${matchers}`,
      range: `${Math.max(1, Math.round(request.windowSeconds))}s`,
      grain,
      group: group.as === undefined ? grain : [],
    });
    const entityOf = (labels: Readonly<Record<string, string>>) => {
      if (group.as !== undefined) return group.as;
      const ref = identity.refOf(labels, homes);
      return ref && perContainer ? containerRef(ref, labels.container ?? '') : ref;
    };
    return [{ promql, entityOf }];
  });
  return { kind: 'promql', system: system.name, spellings, fix: table.enable?.[signal.name] ?? system.howTo };
}

function containerRef(pod: EntityRef, container: string): EntityRef {
  return `${pod.replace(/^pod:/, 'container:')}${encodeURIComponent(`/${container}`)}`;
}

/** Each service by its pods' metrics, and by its spans where those give nothing. */
function planService(
  request: SignalRequest,
  signal: CanonicalSignal,
  span: { side: 'service' | 'edge'; measure: SpanMeasure },
  systems: readonly SourceSystem[],
): SignalPlan {
  const { estate, of } = request;
  const tables = tablesFor(signal, systems);
  const byMetrics = of.flatMap((entity) => {
    const homes = membersOf(estate, entity, 'pod').map((pod, i) =>
      homeOf(pod, i === 0 ? membersOf(estate, entity, 'workload') : []),
    );
    const group = { of: [entity], as: entity.ref };
    return tables.flatMap(({ system, table }) =>
      clustersOf(homes).map((part) => planTable(request, signal, group, part, system, table)),
    );
  });
  const bySpans = planSpans(request, signal, span);
  return {
    signal,
    queries: [...byMetrics, ...bySpans.queries],
    missing: byMetrics.length > 0 ? [] : bySpans.missing,
  };
}

function planSpans(
  request: SignalRequest,
  signal: CanonicalSignal,
  span: { side: 'service' | 'edge'; measure: SpanMeasure },
): SignalPlan {
  const { estate, of, callee } = request;
  const services = of.flatMap((entity) =>
    membersOf(estate, entity, 'service').map((service) => ({
      service: service.name,
      entity: entity.ref,
      cluster: service.cluster,
    })),
  );
  const [first] = services;
  if (!first)
    return { signal, queries: [], missing: [missing(request, 'no spans of it are known', OPENTELEMETRY_HOW_TO)] };
  const plan: SpanPlan = {
    kind: 'spans',
    system: OPENTELEMETRY,
    ...span,
    cluster: first.cluster,
    services,
    stat: span.measure === 'duration' ? (request.stat ?? 'p95') : 'rate',
    fix: OPENTELEMETRY_HOW_TO,
    ...(callee ? { callee: membersOf(estate, callee, 'service')[0]?.name ?? callee.name } : {}),
  };
  return { signal, queries: [plan], missing: [] };
}

function homesOf(estate: EstateSnapshot, of: readonly Entity[], signal: CanonicalSignal): HomeEntity[] {
  const homes = new Map<EntityRef, HomeEntity>();
  for (const entity of of) {
    membersOf(estate, entity, signal.home).forEach((member, i) => {
      homes.set(
        member.ref,
        homeOf(member, signal.home === 'pod' && entity.kind === 'workload' && i === 0 ? [entity] : []),
      );
    });
  }
  return [...homes.values()];
}

/** The first pod of a workload also stands for pods that it had before. */
function homeOf(entity: Entity, [workload]: readonly Entity[]): HomeEntity {
  const alsoNamed = workload && podNamePattern(workload);
  return { entity, ...(alsoNamed ? { alsoNamed } : {}) };
}

function clustersOf(homes: readonly HomeEntity[]): HomeEntity[][] {
  const clusters = new Map<string, HomeEntity[]>();
  for (const home of homes) {
    const cluster = clusters.get(home.entity.cluster);
    if (cluster) cluster.push(home);
    else clusters.set(home.entity.cluster, [home]);
  }
  return [...clusters.values()];
}

function tablesFor(
  signal: CanonicalSignal,
  systems: readonly SourceSystem[],
): { system: SourceSystem; table: SourceTable }[] {
  return systems.flatMap((system) =>
    system.tables.filter((table) => tableGives(table, signal)).map((table) => ({ system, table })),
  );
}

function tableGives(table: SourceTable, signal: CanonicalSignal): boolean {
  return table.home === signal.home && signal.name in table.signals;
}

function missing(request: SignalRequest, why: string, fix: string): MissingSignal {
  return { signal: request.signal, entity: request.of[0]?.ref ?? formatRef('cluster', '', '', ''), why, fix };
}
