import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { formatTime } from '../model/index.ts';
import type { Estate } from './estate.ts';
import { FAULTS, type FaultOrder, isFault } from './faults.ts';
import { createKubernetesApi } from './kubernetes/api.ts';
import { renderPage } from './pages/page.ts';

/** A cluster in the form of `clusters:` in `trifocal.yaml`. */
export interface ClusterConnection {
  name: string;
  kubernetes: { url: string; token: string };
  scrape_configs: {
    job_name: string;
    scrape_interval: string;
    scrape_timeout: string;
    static_configs: { targets: string[]; labels: Record<string, string> }[];
  }[];
}

export interface EstateServers {
  connections: ClusterConnection[];
  controlUrl: string;
  close(): void;
}

/**
 * Opens the estate's own doors on free loopback ports: one with all `/metrics` pages and the control of faults, and a
 * Kubernetes API per cluster. `present` brings the estate to the present before it is looked at.
 */
export async function serveEstate(estate: Estate, present: () => void): Promise<EstateServers> {
  const servers: Server[] = [];
  const open = async (handler: RequestListener): Promise<number> => {
    const server = createServer(handler);
    servers.push(server);
    return listen(server);
  };
  const pages = new Map(estate.targets.map((target) => [target.path, target.page]));
  const port = await open((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const page = pages.get(decodeURIComponent(path));
    present();
    if (page) sendText(response, renderPage(page));
    else if (path === '/control' || path === '/control/faults') void control(estate, path, request, response);
    else sendJson(response, 404, { error: `no page ${path}` });
  });
  const connections: ClusterConnection[] = [];
  for (const cluster of estate.clusters) {
    const token = randomBytes(24).toString('base64url');
    const api = createKubernetesApi({ store: cluster.store, token, now: () => estate.now });
    const apiPort = await open((request, response) => {
      present();
      api(request, response);
    });
    connections.push({
      name: cluster.plan.name,
      kubernetes: { url: `http://127.0.0.1:${apiPort}`, token },
      scrape_configs: scrapeConfigs(estate, cluster.plan.name, `127.0.0.1:${port}`),
    });
  }
  return {
    connections,
    controlUrl: `http://127.0.0.1:${port}/control`,
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** From the broken cooling to the lowered clock: a card needs this long to heat up. */
const ONSET_TOLERANCE_S = 150;

/** The nodes' own telemetry is delivered by an agent with remote write, as many teams have it; Trifocal scrapes the rest. */
export const AGENT_JOBS: readonly string[] = ['node-exporter'];

function scrapeConfigs(estate: Estate, cluster: string, address: string): ClusterConnection['scrape_configs'] {
  const jobs = new Map<string, ClusterConnection['scrape_configs'][number]>();
  for (const target of estate.targets) {
    if (target.cluster !== cluster || AGENT_JOBS.includes(target.job)) continue;
    let job = jobs.get(target.job);
    if (!job) {
      const interval = `${target.intervalMs / 1000}s`;
      job = { job_name: target.job, scrape_interval: interval, scrape_timeout: '10s', static_configs: [] };
      jobs.set(target.job, job);
    }
    job.static_configs.push({ targets: [address], labels: { __metrics_path__: target.path, ...target.labels } });
  }
  return [...jobs.values()];
}

/** `GET` tells the state, `POST …/faults {fault, on, cluster?, gpu?}` switches a fault. */
async function control(
  estate: Estate,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') return sendJson(response, 200, controlState(estate));
  if (request.method !== 'POST' || path !== '/control/faults') return sendJson(response, 405, { error: 'not allowed' });
  try {
    const { order, on } = parseOrder(await readBody(request));
    if (on) estate.startFault(order);
    else estate.stopFault(order);
    sendJson(response, 200, controlState(estate));
  } catch (error) {
    sendJson(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

/** The truth has the form of a scenario file's `truth`, with where each cause sits beside it. */
function controlState(estate: Estate) {
  const causes = estate.truths.map(({ sinceMs, fault, ...cause }) => ({
    ...cause,
    onset: formatTime(sinceMs),
    tolerance: `${ONSET_TOLERANCE_S}s`,
  }));
  return {
    now: formatTime(estate.now),
    faults: FAULTS,
    active: estate.truths.map(({ fault }) => fault),
    truth: { verdict: causes.length > 0 ? 'cause-found' : 'no-fault', causes },
    requests: Object.fromEntries(estate.clusters.map((cluster) => [cluster.plan.name, cluster.frontDoor.counts])),
  };
}

function parseOrder(text: string): { order: FaultOrder; on: boolean } {
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new Error('expected {"fault":…,"on":true|false}');
  const { fault, on, cluster, gpu } = body as Record<string, unknown>; // any object; each field is checked below
  if (!isFault(fault)) throw new Error(`no fault ${String(fault)}; there are ${FAULTS.join(', ')}`);
  if (typeof on !== 'boolean') throw new Error('"on" must be true or false');
  return {
    on,
    order: {
      fault,
      ...(typeof cluster === 'string' ? { cluster } : {}),
      ...(typeof gpu === 'string' ? { gpu } : {}),
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > 65_536) throw new Error('body too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address) resolve(address.port);
      else reject(new Error('no port'));
    });
  });
}
