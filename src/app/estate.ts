import type { Clock, Logger } from '../base/index.ts';
import {
  bareRef,
  type Change,
  createSnapshot,
  type EntityRef,
  type EstateSnapshot,
  everything,
  gpuInventory,
  type LabelSet,
  labelRecord,
  labelValue,
  METRIC_NAME,
  modelServerInventory,
  type ObjectVersion,
  parseRef,
  type Scope,
  scopeAllows,
  UNKNOWN_CLUSTER,
} from '../model/index.ts';
import type { ObjectHead, ObjectRead, ObjectReader, PromqlEngine, TraceReader, VectorSample } from '../query/index.ts';
import {
  buildEstate,
  type ChangesQuery,
  diffObjects,
  type EstateEvent,
  type EstateInput,
  type EstateReader,
  groupChanges,
  type KubernetesObject,
  parseObject,
  podWorkloads,
  rolloutChanges,
  toEstateEvent,
} from '../understand/estate/index.ts';

export interface EstateReaderOptions {
  objects: ObjectReader;
  /** Left out: no GPUs, and engines only by image. */
  metrics?: PromqlEngine;
  /** Left out: no traced services and dependencies. */
  traces?: TraceReader;
  /** Clusters that are configured, seen or not. */
  clusters: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** The present is looked at again after this long, or where a look costs much after so many times its cost. */
const PRESENT_MS = 3_000;
const COST_FACTOR = 20;
const PRESENT_AT_MOST_MS = 15_000;
/** The past is kept per bucket, and looked at again after this long: signals may arrive late. */
const PAST_MS = 60_000;
const BUCKET_MS = 30_000;
const BUCKETS_KEPT = 16;
/** Parsed versions kept, so that each is parsed once: about the objects of a large estate, twice. */
const PARSED_KEPT = 60_000;
/** Spans of this long before the moment tell who calls whom. */
const SPANS_MS = 15 * 60_000;
const EVENTS_MS = 5 * 60_000;
const BODIES_AT_ONCE = 2_000;

/** Kinds whose differences are told as changes. */
const CHANGING = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Pod', 'Node', 'Service', 'Namespace'];

/** Joins what the sources say into the estate at any moment, and remembers the moments that are asked for often. */
export function createEstateReader(options: EstateReaderOptions): EstateReader {
  const parsed = new Map<string, KubernetesObject>();
  const moments = new Map<number, Moment>();
  let present: Moment | undefined;
  let cost = 0;

  function momentAt(ms: number): Moment {
    const now = options.clock.now();
    if (ms >= now - PRESENT_MS) {
      const keepMs = Math.min(PRESENT_AT_MOST_MS, Math.max(PRESENT_MS, COST_FACTOR * cost));
      if (!present || now - present.openedMs > keepMs) present = open(now);
      return present;
    }
    const bucket = Math.floor(ms / BUCKET_MS) * BUCKET_MS;
    const known = moments.get(bucket);
    const moment = known && now - known.openedMs <= PAST_MS ? known : open(bucket);
    moments.delete(bucket);
    moments.set(bucket, moment);
    for (const oldest of moments.keys()) {
      if (moments.size <= BUCKETS_KEPT) break;
      moments.delete(oldest);
    }
    return moment;
  }

  function open(atMs: number): Moment {
    const moment: Moment = { openedMs: options.clock.now(), estate: load(atMs), views: new Map() };
    // What failed is asked again next time; whoever waits for it is told.
    moment.estate.catch(() => {
      if (present === moment) present = undefined;
      if (moments.get(atMs) === moment) moments.delete(atMs);
    });
    return moment;
  }

  async function load(atMs: number) {
    const startedAt = options.clock.monotonic();
    const problems: string[] = [];
    const orNothing = async <T>(what: string, ask: Promise<T[]> | undefined): Promise<T[]> => {
      try {
        return (await ask) ?? [];
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        options.logger.warn({ error: message, what }, 'a part of the estate could not be read');
        problems.push(`${what} could not be read: ${message}`);
        return [];
      }
    };
    const [objects, gpus, models, spans, events] = await Promise.all([
      loadObjects(atMs),
      orNothing('GPUs', options.metrics && ask(options.metrics, gpuInventory().promql, atMs)),
      orNothing('model servers', options.metrics && ask(options.metrics, modelServerInventory().promql, atMs)),
      orNothing('services', options.traces && loadSpans(options.traces, atMs)),
      orNothing('events', loadEvents({ from: atMs - EVENTS_MS, to: atMs }, everything)),
    ]);
    const [traced] = spans;
    const estate = buildEstate({
      atMs,
      clusters: options.clusters,
      objects,
      gpus: gpus.flatMap(toGpuSample),
      models: models.flatMap(toModelSeries),
      services: traced?.services ?? [],
      edges: traced?.edges ?? [],
      events: events.filter((event) => event.reason === 'Unhealthy'),
      problems,
    });
    cost = options.clock.monotonic() - startedAt;
    return estate;
  }

  async function loadObjects(atMs: number): Promise<KubernetesObject[]> {
    const heads = await options.objects.headsAt({ atMs }, { scope: everything });
    const missing = heads.filter((head) => !parsed.has(headKey(head)));
    for (let i = 0; i < missing.length; i += BODIES_AT_ONCE) {
      const bodies = await options.objects.bodiesOf(missing.slice(i, i + BODIES_AT_ONCE), { scope: everything });
      for (const version of bodies) parsed.set(headKey(version), parseObject(version));
      // Parsing thousands of objects must not hold up everything else.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const objects = heads.flatMap((head) => parsed.get(headKey(head)) ?? []);
    if (parsed.size > PARSED_KEPT) {
      const live = new Set(heads.map(headKey));
      for (const key of parsed.keys()) if (!live.has(key)) parsed.delete(key);
    }
    return objects;
  }

  async function loadEvents(query: ChangesQuery, scope: Scope, signal?: AbortSignal): Promise<EstateEvent[]> {
    const range = { from: query.from, to: query.to };
    const versions = await options.objects.history(
      { range, kinds: ['Event'], ...(query.cluster === undefined ? {} : { cluster: query.cluster }), limit: 5_000 },
      { scope, ...(signal ? { signal } : {}) },
    );
    const newest = new Map<string, ObjectVersion>();
    for (const version of versions) if (!version.deleted) newest.set(`${version.cluster} ${version.uid}`, version);
    return [...newest.values()]
      .flatMap((version) => toEstateEvent(parseObject(version)) ?? [])
      .filter((event) => event.atMs >= query.from && event.atMs <= query.to && isVisible(event.entity, scope))
      .sort((a, b) => b.atMs - a.atMs);
  }

  /** ReplicaSets that were made or altered within the range, and their siblings, which tell what came before. */
  async function loadReplicaSets(
    query: ChangesQuery,
    cluster: string | undefined,
    read: ObjectRead,
  ): Promise<ObjectVersion[]> {
    const kinds = ['ReplicaSet'];
    const where = cluster === undefined ? {} : { cluster };
    const recent = await options.objects.history({ range: { from: query.from, to: query.to }, kinds, ...where }, read);
    if (recent.length === 0) return [];
    const families = new Set(recent.map(familyOf));
    const heads = await options.objects.headsAt({ atMs: query.to, kinds, ...where }, read);
    return [
      ...recent,
      ...(await options.objects.bodiesOf(
        heads.filter((head) => families.has(familyOf(head))),
        read,
      )),
    ];
  }

  const reader: EstateReader = {
    async at(ms, scope) {
      const moment = momentAt(ms);
      const key = scope.kind === 'everything' ? '' : JSON.stringify(scope);
      const known = moment.views.get(key);
      if (known) return known;
      const { entities, relations } = await moment.estate;
      const view = createSnapshot(ms, entities, relations, scope);
      moment.views.set(key, view);
      return view;
    },
    async changes(query, scope, signal) {
      const cluster = query.cluster ?? clusterOf(query.entity);
      const versions = await options.objects.history(
        { range: { from: query.from, to: query.to }, kinds: CHANGING, ...(cluster === undefined ? {} : { cluster }) },
        { scope, ...(signal ? { signal } : {}) },
      );
      const told = changesBetween(versions, query.from);
      const sets = await loadReplicaSets(query, cluster, { scope, ...(signal ? { signal } : {}) });
      const found = [...told, ...rolloutChanges(sets, { from: query.from, to: query.to }, told)];
      const workloads = podWorkloads(versions.filter((version) => version.kind === 'Pod').map(parseObject));
      const grouped = groupChanges(found, (pod) => workloads.get(pod)).filter((change) =>
        isVisible(change.entity, scope),
      );
      const near = await nearby(query.entity, query.to, scope, workloads);
      return grouped.filter((change) => near === undefined || near.has(change.entity)).slice(0, query.limit ?? 200);
    },
    async events(query, scope, signal) {
      const cluster = query.cluster ?? clusterOf(query.entity);
      const events = await loadEvents({ ...query, ...(cluster === undefined ? {} : { cluster }) }, scope, signal);
      const near = await nearby(query.entity, query.to, scope, new Map());
      return events.filter((event) => near === undefined || near.has(event.entity)).slice(0, query.limit ?? 200);
    },
  };

  /** The entity, what it contains, and what it stands on; undefined for the whole estate. */
  async function nearby(
    entity: EntityRef | undefined,
    atMs: number,
    scope: Scope,
    workloads: ReadonlyMap<EntityRef, EntityRef>,
  ) {
    if (entity === undefined) return undefined;
    const snapshot = await reader.at(atMs, scope);
    const start = snapshot.get(entity)?.ref ?? bareRef(entity).replace(/^model:/, 'workload:');
    const refs = new Set([start, ...below(snapshot, start)]);
    // Pods that are gone by now belonged to it as well.
    for (const [pod, workload] of workloads) if (refs.has(workload)) refs.add(pod);
    for (const ref of [...refs]) {
      for (const node of snapshot.to(ref, 'runs-on')) refs.add(node.ref);
      for (const gpu of snapshot.to(ref, 'uses')) refs.add(gpu.ref);
    }
    for (const workload of snapshot.from(start, 'contains', 'workload')) refs.add(workload.ref);
    return refs;
  }

  return reader;
}

interface Moment {
  openedMs: number;
  estate: Promise<ReturnType<typeof buildEstate>>;
  /** By scope. */
  views: Map<string, EstateSnapshot>;
}

function below(snapshot: EstateSnapshot, ref: EntityRef): EntityRef[] {
  const found: EntityRef[] = [];
  const queue = [ref];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of snapshot.to(next, 'contains')) {
      found.push(child.ref);
      queue.push(child.ref);
    }
  }
  return found;
}

/** Differences of neighbouring versions; the version that held before the range is only there to compare with. */
function changesBetween(versions: readonly ObjectVersion[], from: number): Change[] {
  const changes: Change[] = [];
  const last = new Map<string, ObjectVersion>();
  for (const version of versions) {
    const key = `${version.cluster} ${version.kind} ${version.uid || `${version.namespace}/${version.name}`}`;
    if (version.validFromMs >= from) changes.push(...diffObjects(last.get(key), version));
    last.set(key, version);
  }
  return changes;
}

function headKey(head: ObjectHead): string {
  return `${head.cluster} ${head.kind} ${head.uid} ${head.validFromMs} ${head.resourceVersion}`;
}

/** Sets of one Deployment are named after it, with a hash behind. */
function familyOf({ cluster, namespace, name }: ObjectHead): string {
  return `${cluster} ${namespace} ${name.replace(/-[^-]*$/, '')}`;
}

function clusterOf(entity: EntityRef | undefined): string | undefined {
  return entity === undefined ? undefined : parseRef(entity)?.cluster;
}

function isVisible(entity: EntityRef, scope: Scope): boolean {
  const parts = parseRef(entity);
  return (
    parts !== undefined &&
    scopeAllows(scope, parts.cluster, parts.kind === 'namespace' ? parts.name : parts.namespace || undefined)
  );
}

async function ask(metrics: PromqlEngine, query: string, timeMs: number): Promise<VectorSample[]> {
  const { value } = await metrics.instant({ query, timeMs, scope: everything });
  return value.kind === 'vector' ? value.samples : [];
}

async function loadSpans(traces: TraceReader, atMs: number): Promise<Pick<EstateInput, 'services' | 'edges'>[]> {
  const range = { from: atMs - SPANS_MS, to: atMs };
  const read = { scope: everything };
  const [services, edges] = await Promise.all([traces.services({ range }, read), traces.edges({ range }, read)]);
  const seconds = SPANS_MS / 1000;
  const rates = (of: { requests: number; errors: number; durationSeconds: number }) => ({
    requestsPerSecond: of.requests / seconds,
    errorRatio: of.requests === 0 ? 0 : of.errors / of.requests,
    meanDuration: of.requests === 0 ? 0 : of.durationSeconds / of.requests,
  });
  return [
    {
      services: services.map((one) => ({
        cluster: one.cluster,
        service: one.service,
        namespace: one.namespace,
        workload: one.workload,
        pod: one.pod,
        ...rates(one),
      })),
      edges: edges.map((one) => ({ cluster: one.cluster, from: one.from, to: one.to, ...rates(one) })),
    },
  ];
}

function clusterLabel(labels: LabelSet): string {
  return labelValue(labels, 'cluster') || labelValue(labels, 'k8s_cluster_name') || UNKNOWN_CLUSTER;
}

function toGpuSample({ labels, value }: VectorSample): EstateInput['gpus'][number][] {
  const fact = gpuInventory().tells(labelValue(labels, METRIC_NAME));
  return fact === undefined ? [] : [{ cluster: clusterLabel(labels), fact, labels, value }];
}

function toModelSeries({ labels }: VectorSample): EstateInput['models'][number][] {
  const engine = modelServerInventory().tells(labelValue(labels, METRIC_NAME));
  if (engine === undefined) return [];
  const label = labelRecord(labels);
  const first = (...names: string[]) => names.map((name) => label[name] ?? '').find((value) => value !== '') ?? '';
  return [
    {
      cluster: clusterLabel(labels),
      namespace: first('namespace', 'k8s_namespace_name', 'kubernetes_namespace'),
      pod: first('pod', 'k8s_pod_name', 'kubernetes_pod_name'),
      engine,
      model: first('model_name', 'model'),
    },
  ];
}
