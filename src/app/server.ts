import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createHttpServer } from '../api/index.ts';
import type { Clock, Logger } from '../base/index.ts';
import { projectRoot } from '../base/node/index.ts';
import { createAdmission, httpDoors, pushDoors, startGrpcDoors } from '../ingest/index.ts';
import { createClosers } from './closers.ts';
import { connectClusters } from './clusters.ts';
import type { Address, ClusterConfig, Config } from './config/index.ts';
import { openDataFolder, StartError } from './data-folder.ts';
import { type Demo, startDemo } from './demo.ts';
import { registerOperations } from './operations.ts';
import { openParts, type Parts } from './parts.ts';
import { registerRoutes } from './routes.ts';

import { noTracing, startTracing, type Tracing, tracesUrl } from './tracing.ts';

export { StartError } from './data-folder.ts';

export interface RunningServer {
  /** `host:port` of each door, with the port that was really taken. */
  addresses: { http: string; otlpHttp: string; otlpGrpc: string };
  dataFolder: string;
  /** Stops taking in, brings everything acknowledged into the store or leaves it in the spool, and closes all files. */
  close(): Promise<void>;
}

/**
 * Starts everything a configuration asks for. Resolves when it is ready; throws StartError for what a user can mend, and
 * the reason of `signal` when that aborts first. What was opened by then is closed.
 */
export async function startServer(options: {
  config: Config;
  version: string;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}): Promise<RunningServer> {
  const { config, version, clock, logger, signal } = options;
  const closers = createClosers(logger);
  try {
    const folder = await openDataFolder(config.data);
    closers.add('the data folder', () => folder.lock.release());
    signal.throwIfAborted();
    const tracing = await openTracing(config, version, logger);
    closers.add('the export of own traces', tracing.close);
    const parts = await openParts({ config, folder, clock, logger, tracer: tracing.tracer, closers });
    signal.throwIfAborted();
    const doors = await openDoors(config, parts, { version, clock, logger, tracing }, closers);
    tracing.listensAt(Object.values(doors));
    const clusters = connectClusters({
      clusters: config.clusters,
      names: parts.clusterNames,
      sink: parts.ingest.sink,
      objects: parts.objects,
      replayed: parts.spool.ready,
      maxBodyBytes: config.ingest.maxBody,
      clock,
      logger,
      closers,
    });
    parts.connections = clusters;
    // May last as long as the store is down.
    await unlessAborted(parts.spool.ready, signal);
    parts.waiting.delete('spool');
    if (config.demo.enabled) {
      parts.demo = startDemoEstate(config, doors, clusters.add, logger);
      closers.add('the demo estate', parts.demo.stop);
    }
    return { addresses: doors, dataFolder: folder.path, close: closers.closeAll };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function openTracing(config: Config, version: string, logger: Logger): Promise<Tracing> {
  const url = tracesUrl(config.telemetry.traces.endpoint, process.env);
  return url === undefined ? noTracing : startTracing({ url, version, logger });
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
  ]);
}

/** Memory for bodies that arrive, wait or are worked on. */
const BODIES_AT_ONCE_BYTES = 256 * 2 ** 20;
/** While some wait for the disk, others are decoded. */
const REQUESTS_AT_ONCE = 64;

interface Doors {
  http: string;
  otlpHttp: string;
  otlpGrpc: string;
}

async function openDoors(
  config: Config,
  parts: Parts,
  { version, clock, logger, tracing }: { version: string; clock: Clock; logger: Logger; tracing: Tracing },
  closers: { add(what: string, close: () => unknown): void },
): Promise<Doors> {
  const { maxBody } = config.ingest;
  const admission = createAdmission({
    maxBytes: Math.max(BODIES_AT_ONCE_BYTES, 4 * maxBody),
    concurrency: REQUESTS_AT_ONCE,
  });
  const carried = { service: tracing.traceDoors(parts.ingest), admission, maxBodyBytes: maxBody, logger };
  const allowedHosts = [config.listen.http.host, config.listen.otlpHttp.host];
  const http = createHttpServer({ logger, maxBodyBytes: maxBody, allowedHosts });
  const otlp = createHttpServer({ logger, maxBodyBytes: maxBody, allowedHosts });
  closers.add('the HTTP doors', () => Promise.all([http.close(), otlp.close()]));
  for (const app of [http, otlp]) tracing.traceRequests(app);
  const ofOtlp = pushDoors.filter(({ protocol }) => protocol === 'otlp');
  await http.register(httpDoors(pushDoors, carried));
  await http.register(httpDoors(ofOtlp, carried), { prefix: '/prometheus/api/v1/otlp' });
  await otlp.register(httpDoors(ofOtlp, carried));
  await registerRoutes(http, {
    config,
    parts,
    version,
    clock,
    logger,
    tracer: tracing.tracer,
    webFolder: join(projectRoot(), 'dist/web'),
  });
  await registerOperations(http, { parts, dataFolder: resolve(config.data), version, clock });
  const addresses = {
    http: await listen(http, 'listen.http', config.listen.http),
    otlpHttp: await listen(otlp, 'listen.otlpHttp', config.listen.otlpHttp),
  };
  const grpcAddress = formatAddress(config.listen.otlpGrpc);
  const grpc = await startGrpcDoors(grpcAddress, ofOtlp, carried).catch((error) => {
    throw cannotListen('listen.otlpGrpc', config.listen.otlpGrpc, error);
  });
  closers.add('the gRPC door', grpc.close);
  return { ...addresses, otlpGrpc: formatAddress({ ...config.listen.otlpGrpc, port: grpc.port }) };
}

async function listen(app: FastifyInstance, key: string, address: Address): Promise<string> {
  try {
    await app.listen(address);
  } catch (error) {
    throw cannotListen(key, address, error);
  }
  const bound = app.server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : address.port;
  return formatAddress({ ...address, port });
}

function cannotListen(key: string, address: Address, error: unknown): StartError {
  const text = String(error);
  const reason = /EADDRINUSE|address already in use|No address added/i.test(text)
    ? 'another program uses that port'
    : /EACCES/.test(text)
      ? 'no permission for that port'
      : text;
  return new StartError(
    `Can't listen on ${formatAddress(address)} (${key}): ${reason}; stop it or choose another address (--help lists the flags).`,
  );
}

function formatAddress({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function startDemoEstate(
  config: Config,
  doors: Doors,
  onClusters: (clusters: ClusterConfig[]) => void,
  logger: Logger,
): Demo {
  const { fault, faultStarted, history, seed } = config.demo;
  const { http, otlpHttp } = doors;
  return startDemo({
    http: `http://${http}`,
    otlpHttp: `http://${otlpHttp}`,
    fault,
    faultStartedMs: faultStarted,
    historyMs: history,
    seed,
    logger,
    onClusters,
  });
}
