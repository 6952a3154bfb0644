import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { PROMETHEUS, startPrometheus, startVictoriaMetrics, VICTORIA_METRICS } from '../test/programs/peers.ts';
import { cpuSeconds, folderBytes, residentBytes, waitFor } from '../test/programs/process.ts';
import { REMOTE_WRITE_HEADERS } from '../test/programs/remote-write.ts';
import { promql, startTrifocal } from '../test/programs/trifocal.ts';
import type { Figure } from './figure.ts';
import { benchSignals } from './signals.ts';
import {
  CHURN_SAMPLES,
  CHURN_SERIES,
  churnBodies,
  END_MS,
  LARGE_SAMPLES,
  largeBodies,
  QUERIES,
  SAMPLES,
  SENDERS,
  START_MS,
  writeBodies,
} from './workload.ts';

interface Candidate {
  name: string;
  version: string;
  /** Base of the Prometheus API. */
  api: string;
  writeUrl: string;
  pid: number;
  data: string;
  stop(): Promise<void>;
}

interface Result {
  candidate: Candidate;
  perCpuSecond: number;
  perSecond: number;
  bytesPerSample: number;
  queryMs: Map<string, number>;
  largePerCpuSecond: number;
  churnPerCpuSecond: number;
  memoryMiB: number;
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
const { values: flags } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } });

const figures: Figure[] = [];
if (flags.only !== 'signals') figures.push(...(await benchMetrics()));
if (flags.only !== 'metrics') figures.push(...(await benchSignals(machine)));
print(figures);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`);

async function benchMetrics(): Promise<Figure[]> {
  const starters = [
    trifocal,
    ...(existsSync(PROMETHEUS) ? [prometheus] : []),
    ...(existsSync(VICTORIA_METRICS) ? [victoria] : []),
  ];
  const results: Result[] = [];
  for (const start of starters) {
    const candidate = await start();
    try {
      console.log(`${candidate.name} ${candidate.version}: writing ${SAMPLES.toLocaleString('en')} samples …`);
      results.push(await measure(candidate));
    } finally {
      await candidate.stop();
    }
  }
  const [own, ...peers] = results;
  if (!own) throw new Error('nothing was measured');
  return peers.length > 0 ? peers.flatMap((peer) => compare(own, peer)) : compare(own, undefined);
}

async function measure(candidate: Candidate): Promise<Result> {
  await settle(candidate.pid);
  const cpuBefore = cpuSeconds(candidate.pid);
  const bytesBefore = folderBytes(candidate.data);
  const started = performance.now();
  await sendAll(candidate, writeBodies);
  await waitFor(
    `all samples in ${candidate.name}`,
    async () => ((await countSamples(candidate, 'bench_.*')) === SAMPLES ? true : undefined),
    120,
  );
  const seconds = (performance.now() - started) / 1000;
  await settle(candidate.pid);
  const cpu = cpuSeconds(candidate.pid) - cpuBefore;
  const queryMs = new Map<string, number>();
  for (const [name, query] of Object.entries(QUERIES)) queryMs.set(name, await medianQuery(candidate, query));
  const bytesPerSample = (folderBytes(candidate.data) - bytesBefore) / SAMPLES;
  const largePerCpuSecond = await measureLoad(candidate, {
    what: 'bodies of 2,000 samples',
    metrics: 'large_.*',
    samples: LARGE_SAMPLES,
    bodies: largeBodies,
  });
  const churnPerCpuSecond = await measureLoad(candidate, {
    what: `${CHURN_SERIES.toLocaleString('en')} short-lived series`,
    metrics: 'churn_.*',
    samples: CHURN_SAMPLES,
    bodies: churnBodies,
  });
  return {
    candidate,
    perCpuSecond: SAMPLES / cpu,
    perSecond: SAMPLES / seconds,
    bytesPerSample,
    queryMs,
    largePerCpuSecond,
    churnPerCpuSecond,
    memoryMiB: residentBytes(candidate.pid) / 2 ** 20,
  };
}

/** Samples per CPU second of a further load, to its last sample. */
async function measureLoad(
  candidate: Candidate,
  load: { what: string; metrics: string; samples: number; bodies: (sender: number) => Iterable<Buffer> },
): Promise<number> {
  console.log(`${candidate.name}: ${load.what} …`);
  await settle(candidate.pid);
  const before = cpuSeconds(candidate.pid);
  await sendAll(candidate, load.bodies);
  await waitFor(
    `${load.what} in ${candidate.name}`,
    async () => ((await countSamples(candidate, load.metrics)) === load.samples ? true : undefined),
    120,
  );
  await settle(candidate.pid);
  return load.samples / (cpuSeconds(candidate.pid) - before);
}

async function sendAll({ writeUrl }: Candidate, bodies: (sender: number) => Iterable<Buffer>): Promise<void> {
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      for (const body of bodies(sender)) await write(writeUrl, body);
    }),
  );
}

async function write(url: string, body: Buffer): Promise<void> {
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers: REMOTE_WRITE_HEADERS, body: new Uint8Array(body) });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 429 && response.status !== 503) throw new Error(`${response.status}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function countSamples(candidate: Candidate, metrics: string): Promise<number> {
  const window = `${(END_MS - START_MS) / 1000 + 1}s`;
  const [total] = await promql(candidate.api, `sum(count_over_time({__name__=~"${metrics}"}[${window}]))`, {
    time: END_MS / 1000,
  });
  return Number(total?.value?.[1] ?? 0);
}

/** Waits until a program has finished its merges and compactions: under 5 % of a core for two seconds. */
async function settle(pid: number): Promise<void> {
  for (let quiet = 0, i = 0; quiet < 2 && i < 60; i++) {
    const before = cpuSeconds(pid);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    quiet = cpuSeconds(pid) - before < 0.05 ? quiet + 1 : 0;
  }
}

async function medianQuery(
  candidate: Candidate,
  query: { text: string; seconds: number; step: number },
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    // A shift by a few steps keeps caches of whole answers out of the comparison.
    const end = END_MS / 1000 - i * query.step;
    const started = performance.now();
    const result = await promql(candidate.api, query.text, { start: end - query.seconds, end, step: query.step });
    if (result.length === 0) throw new Error(`${candidate.name} answered nothing to ${query.text}`);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[3] ?? 0;
}

function compare(own: Result, peer: Result | undefined): Figure[] {
  const figure = (name: string, unit: string, value: (result: Result) => number, better: 'more' | 'less'): Figure => {
    const base = { name, unit, trifocal: round(value(own)), machine };
    if (!peer) return base;
    const ratio = better === 'more' ? value(own) / value(peer) : value(peer) / value(own);
    return {
      ...base,
      peer: { name: peer.candidate.name, version: peer.candidate.version, value: round(value(peer)) },
      ratio: round(ratio),
    };
  };
  return [
    figure('remote write, bodies of 500', 'samples per CPU second', (r) => r.perCpuSecond, 'more'),
    figure('remote write, bodies of 2,000', 'samples per CPU second', (r) => r.largePerCpuSecond, 'more'),
    figure('remote write, bodies of 500', 'samples per second', (r) => r.perSecond, 'more'),
    figure('on disk', 'bytes per sample', (r) => r.bytesPerSample, 'less'),
    figure('80,000 short-lived series', 'samples per CPU second', (r) => r.churnPerCpuSecond, 'more'),
    figure('memory after both loads', 'MiB', (r) => r.memoryMiB, 'less'),
    ...Object.keys(QUERIES).map((name) => figure(name, 'ms', (r) => r.queryMs.get(name) ?? Number.NaN, 'less')),
  ];
}

async function trifocal(): Promise<Candidate> {
  const server = await startTrifocal({ env: { TRIFOCAL_INGEST_ACCEPT_PAST: 'any' } });
  const api = `${server.http}/prometheus`;
  return {
    name: 'Trifocal',
    version: '0.1.0',
    api,
    writeUrl: `${api}/api/v1/write`,
    pid: server.pid,
    data: server.data,
    stop: () => server.stop(),
  };
}

async function prometheus(): Promise<Candidate> {
  const server = await startPrometheus('global: {}\n', [
    '--web.enable-remote-write-receiver',
    '--storage.tsdb.retention.time=10y',
    '--storage.tsdb.allow-overlapping-blocks',
  ]);
  return {
    name: 'Prometheus',
    version: version('prometheus'),
    api: server.url,
    writeUrl: `${server.url}/api/v1/write`,
    ...server,
  };
}

async function victoria(): Promise<Candidate> {
  const server = await startVictoriaMetrics(['-retentionPeriod=10y', '-search.disableCache']);
  return {
    name: 'VictoriaMetrics',
    version: version('victoria-metrics'),
    api: server.url,
    writeUrl: `${server.url}/api/v1/write`,
    ...server,
  };
}

/** As Debian's package has it; not every program tells its own. */
function version(debianPackage: string): string {
  const { stdout } = spawnSync('dpkg', ['-s', debianPackage], { encoding: 'utf8' });
  return /^Version: (\d+\.\d+\.\d+)/m.exec(stdout ?? '')?.[1] ?? 'unknown';
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(rows: readonly Figure[]): void {
  console.log(`\n${machine}\n`);
  for (const { name, unit, trifocal: own, peer, ratio } of rows) {
    const other = peer
      ? `${peer.name} ${peer.version} ${peer.value.toLocaleString('en')}, ratio ${ratio}`
      : 'no peer here';
    console.log(`${name.padEnd(44)} ${own.toLocaleString('en').padStart(12)} ${unit.padEnd(24)} ${other}`);
  }
}
