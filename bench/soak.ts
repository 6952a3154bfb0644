import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cpuSeconds, folderBytes, residentBytes } from '../test/programs/process.ts';
import { startTrifocal } from '../test/programs/trifocal.ts';

/**
 * `node scripts/run.mjs bench/soak.ts --minutes 60`: the demo estate at work on a server, and once a minute its memory, CPU,
 * parts and disk. What grows without end shows as the slope of the second half.
 */
const { values: flags } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, json: { type: 'string' } },
});
const minutes = Number(flags.minutes);

interface Reading {
  minute: number;
  memoryMiB: number;
  heapMiB: number;
  cpuPercent: number;
  parts: number;
  rows: number;
  diskMiB: number;
  series: number;
  dropped: number;
  worstLoopMs: number;
}

const server = await startTrifocal({ args: ['--demo'] });
const readings: Reading[] = [];
try {
  let cpu = cpuSeconds(server.pid);
  for (let minute = 1; minute <= minutes; minute++) {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    const cpuNow = cpuSeconds(server.pid);
    const reading = await read(minute, ((cpuNow - cpu) / 60) * 100);
    cpu = cpuNow;
    readings.push(reading);
    console.log(JSON.stringify(reading));
  }
} finally {
  await server.stop();
}
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(readings, null, 2)}\n`);
for (const key of ['memoryMiB', 'heapMiB', 'parts', 'series'] as const) {
  const half = readings.slice(Math.floor(readings.length / 2));
  console.log(`${key}: ${slope(half.map((reading) => reading[key])).toFixed(2)} a minute over the second half`);
}

async function read(minute: number, cpuPercent: number): Promise<Reading> {
  const text = await (await fetch(`${server.http}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (all, match) => all + Number(match[1]),
      0,
    );
  const { tables } = (await (await fetch(`${server.http}/api/telemetry`)).json()) as { tables: { rows: number }[] }; // the contract's shape
  return {
    minute,
    memoryMiB: Math.round(residentBytes(server.pid) / 2 ** 20),
    heapMiB: Math.round(sum('nodejs_heap_size_used_bytes') / 2 ** 20),
    cpuPercent: Math.round(cpuPercent),
    parts: sum('trifocal_store_parts'),
    rows: tables.reduce((all, table) => all + table.rows, 0),
    diskMiB: Math.round(folderBytes(server.data) / 2 ** 20),
    series: sum('trifocal_active_series'),
    dropped: sum('trifocal_ingest_dropped_total'),
    worstLoopMs: Math.round(
      Math.max(
        ...[...text.matchAll(/^trifocal_eventloop_delay_seconds\{.*quantile="1"\} (\S+)$/gm)].map((m) => Number(m[1])),
      ) * 1000,
    ),
  };
}

/** Least squares over equal steps. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}
