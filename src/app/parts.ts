import type { Registry } from 'prom-client';
import type { InvestigationBody } from '../api/contract/index.ts';
import type { Clock, Logger, Tracer } from '../base/index.ts';
import {
  type IngestServiceSettings,
  type IngestThread,
  openSpool,
  type Spool,
  startIngestThread,
} from '../ingest/index.ts';
import {
  createLogReader,
  createObjectReader,
  createPromqlEngine,
  createTraceReader,
  type LogReader,
  type MetricSource,
  type ObjectReader,
  openEmbeddedSource,
  type PromqlEngine,
  type TraceReader,
} from '../query/index.ts';
import { openRecords, openStore, type Records, type Retention, type Store } from '../store/index.ts';
import type { EstateReader } from '../understand/estate/index.ts';
import type { Closers } from './closers.ts';
import type { ClusterConnections } from './clusters.ts';
import { type Config, signalRetention, wholeDays } from './config/index.ts';
import { type DataFolder, StartError } from './data-folder.ts';
import type { Demo } from './demo.ts';
import { createEstateReader } from './estate.ts';
import { createQuerySeconds } from './query-seconds.ts';

/** Everything between the doors and the disk, constructed once. */
export interface Parts {
  store: Store;
  records: Records<InvestigationBody>;
  spool: Spool;
  ingest: IngestThread;
  source: MetricSource;
  engine: PromqlEngine;
  logs: LogReader;
  traces: TraceReader;
  objects: ObjectReader;
  /** How long the readers' answers took. */
  queryMetrics: Registry;
  estate: EstateReader;
  /** Grows when clusters are connected. */
  clusterNames: string[];
  /** Watches and scrapes; set once the doors are open. */
  connections: ClusterConnections | undefined;
  demo: Demo | undefined;
  /** What readiness still waits for. */
  waiting: Set<string>;
}

export async function openParts(options: {
  config: Config;
  folder: DataFolder;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  closers: Closers;
}): Promise<Parts> {
  const { config, folder, clock, logger, tracer, closers } = options;
  const [store, records] = await Promise.all([
    openStore({
      engine: { kind: 'embedded', folder: folder.engine, memoryBytes: config.store.embedded.memory },
      retention: keptDays(config),
      clock,
      logger,
      tracer,
    }).catch((error) => {
      throw new StartError(`The store in ${folder.engine} can't be opened: ${message(error)}`);
    }),
    openRecords<InvestigationBody>({ folder: folder.records }).catch((error) => {
      throw new StartError(`The records in ${folder.records} can't be opened: ${message(error)}`);
    }),
  ]);
  closers.add('the records', records.close);
  closers.add('the store', store.close);
  const spool = await openSpool({
    folder: folder.spool,
    store,
    maxBytes: config.store.spool,
    reserveBytes: config.store.reserve,
    clock,
    logger,
    underWay: () => ingest.underWay(),
    onRefused: () => ingest.forget(),
    onDuplicates: (rejection) => ingest.sink.drop(rejection, { protocol: 'store' }),
  });
  closers.add('the spool', spool.close);
  const ingest = startIngestThread({ settings: ingestSettings(config), spool, clock, logger });
  closers.add('the ingest thread', ingest.close);
  const { port } = store;
  const source = await openEmbeddedSource({ port });
  const { time, memory, samples } = config.limits.query;
  const seconds = time / 1000;
  const { timed, registry: queryMetrics } = createQuerySeconds(clock);
  const ofPromql = { seconds, memoryBytes: memory, samples };
  const engine = timed('promql', createPromqlEngine({ source, clock, limits: ofPromql }));
  // The engine runs four statements at once: together they fit. Calls of 1.2 M spans need between a quarter and half a GiB.
  const limits = { seconds, memoryBytes: Math.min(memory, Math.floor(config.store.embedded.memory / 4)) };
  const logs = timed('logs', createLogReader(port, limits));
  const traces = timed('traces', createTraceReader(port, limits));
  const objects = timed('objects', createObjectReader(port, limits));
  const parts: Omit<Parts, 'estate'> = {
    store,
    records,
    spool,
    ingest,
    source,
    engine,
    logs,
    traces,
    objects,
    queryMetrics,
    clusterNames: [],
    connections: undefined,
    demo: undefined,
    waiting: new Set(['spool']),
  };
  const estate = createEstateReader({
    objects,
    metrics: engine,
    traces,
    clusters: parts.clusterNames,
    clock,
    logger,
  });
  return Object.assign(parts, { estate });
}

function keptDays(config: Config): Retention {
  return { ...signalRetention(config), objects: wholeDays(config.retention.objects) };
}

function ingestSettings(config: Config): IngestServiceSettings {
  const { ingest, limits, redaction } = config;
  const { series, perCluster, perMetric, labels, labelName, labelValue, line, streamLabels, rate } = limits;
  const { burst, ...rates } = rate;
  return {
    maxBodyBytes: ingest.maxBody,
    accept: { pastMs: ingest.accept.past, futureMs: ingest.accept.future, keptDays: keptDays(config) },
    limits: { series, perCluster, perMetric, labels, labelName, labelValue },
    lines: { line, streamLabels },
    rates: { ...rates, burstSeconds: burst / 1000 },
    redaction,
  };
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
