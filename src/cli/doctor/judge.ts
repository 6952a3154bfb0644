import type { StatusResponse, TelemetryResponse } from '../../api/contract/index.ts';
import { formatBytes, formatSeconds } from '../format.ts';

/** What was found out; undefined is what could not be. */
export interface Facts {
  version: string;
  server: string;
  nowMs: number;
  /** What answers at the server's address. */
  answer:
    | { kind: 'trifocal'; status: StatusResponse; telemetry: TelemetryResponse; waiting: string[]; rttMs: number }
    | { kind: 'other'; words: string }
    | { kind: 'none'; words: string };
  /** Of the OTLP doors, the ports at which nobody or somebody listens. */
  ports: { port: number; use: string; open: boolean }[];
  data: DataFacts | undefined;
}

export interface DataFacts {
  path: string;
  exists: boolean;
  /** Process id in the lock, and whether that process lives. */
  lock: { pid: number; alive: boolean } | undefined;
  freeBytes: number | undefined;
  diskBytes: number | undefined;
  spoolBytes: number;
  refusedFiles: number;
  writable: boolean;
}

export interface Finding {
  state: 'ok' | 'warning' | 'problem';
  words: string;
  fix?: string;
}

/** More than a scrape interval apart, times of one machine's signals look like another's past or future. */
const CLOCK_APART_MS = 5_000;
const LITTLE_SPACE_BYTES = 2 * 2 ** 30;
const LITTLE_SPACE_SHARE = 0.05;

/** Everything that was looked at, in words, and what to do where it is not well. */
export function judge(facts: Facts): Finding[] {
  return [...judgeServer(facts), ...(facts.data ? judgeData(facts.data, facts.answer.kind === 'trifocal') : [])];
}

function judgeServer(facts: Facts): Finding[] {
  const { answer, server, ports } = facts;
  if (answer.kind === 'none') {
    const taken = ports.filter(({ open }) => open);
    const words = `no Trifocal answers at ${server} (${answer.words})`;
    return [
      { state: 'problem', words, fix: 'Start one with npm start, or name the address with --server.' },
      ...taken.map(({ port, use }) => ({
        state: 'problem' as const,
        words: `port ${port} (${use}) is taken, although no Trifocal answers`,
        fix: `Stop the program that listens there, or start Trifocal with another address (trifocal up --help).`,
      })),
    ];
  }
  if (answer.kind === 'other') {
    return [
      {
        state: 'problem',
        words: `what answers at ${server} is not Trifocal (${answer.words})`,
        fix: 'Stop that program, or name the address of Trifocal with --server.',
      },
    ];
  }
  const { status, telemetry, waiting, rttMs } = answer;
  const findings: Finding[] = [{ state: 'ok', words: `Trifocal ${status.version} answers at ${server}` }];
  if (status.version !== facts.version) {
    findings.push({
      state: 'warning',
      words: `this command is of Trifocal ${facts.version}`,
      fix: 'Restart the server to run what is installed.',
    });
  }
  const apartMs = Date.parse(status.now) - facts.nowMs;
  if (Math.abs(apartMs) > CLOCK_APART_MS + rttMs) {
    const words = `the server's clock is ${formatSeconds(Math.abs(apartMs) / 1000)} ${apartMs > 0 ? 'ahead of' : 'behind'} this machine's`;
    findings.push({
      state: 'problem',
      words,
      fix: 'Let both machines keep time by NTP; signals are placed by their times.',
    });
  } else findings.push({ state: 'ok', words: 'its clock agrees with this one' });
  if (waiting.length > 0)
    findings.push({
      state: 'warning',
      words: `it is not ready yet: it waits for ${waiting.join(', ')}`,
      fix: 'Wait; what was acknowledged before the start is being brought into the store.',
    });
  findings.push(...judgeTelemetry(telemetry));
  for (const { severity, words, fix } of status.trouble)
    findings.push({ state: severity === 'critical' ? 'problem' : 'warning', words, fix });
  if (status.trouble.length === 0) findings.push({ state: 'ok', words: 'it knows of no trouble' });
  return findings;
}

function judgeTelemetry({ store, spool, sources, tables }: TelemetryResponse): Finding[] {
  const findings: Finding[] = [];
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  if (store.up) findings.push({ state: 'ok', words: `the store is up and holds ${formatBytes(bytes)}` });
  if (spool.state === 'ok')
    findings.push({ state: 'ok', words: `the spool keeps up (${formatBytes(spool.bytes)} wait)` });
  if (spool.refusedFiles > 0) {
    findings.push({
      state: 'warning',
      words: `${spool.refusedFiles} files of acknowledged rows lie in spool/refused`,
      fix: 'The log says why the store or the disk refused them; keep them until that is understood.',
    });
  }
  if (sources.length === 0)
    findings.push({
      state: 'warning',
      words: 'nobody has sent anything since the start',
      fix: 'docs/connecting.md says how to connect Prometheus, OpenTelemetry, logs and Kubernetes.',
    });
  else
    findings.push({
      state: 'ok',
      words: `${sources.filter(({ state }) => state === 'connected').length} of ${sources.length} sources are connected`,
    });
  return findings;
}

function judgeData(data: DataFacts, answered: boolean): Finding[] {
  const { path, lock, freeBytes, diskBytes } = data;
  if (!data.exists)
    return [
      {
        state: answered ? 'ok' : 'warning',
        words: `there is no data folder ${path} here`,
        ...(answered ? {} : { fix: 'Name it with --data, if it is elsewhere.' }),
      },
    ];
  const findings: Finding[] = [];
  if (!data.writable)
    findings.push({
      state: 'problem',
      words: `${path} is not writable for this user`,
      fix: 'Make it writable, or start as the user who owns it.',
    });
  if (lock?.alive) findings.push({ state: 'ok', words: `${path} is in use by process ${lock.pid}` });
  else if (lock)
    findings.push({
      state: 'ok',
      words: `${path} was left by process ${lock.pid}, which has ended; the next start takes it over`,
    });
  if (lock?.alive && !answered) {
    findings.push({
      state: 'problem',
      words: `process ${lock.pid} holds the data folder, but does not answer`,
      fix: 'Look at its log; it may be starting, or listen at another address (--server).',
    });
  }
  if (!answered && data.spoolBytes > 0)
    findings.push({ state: 'ok', words: `${formatBytes(data.spoolBytes)} wait in its spool for the next start` });
  if (!answered && data.refusedFiles > 0)
    findings.push({
      state: 'warning',
      words: `${data.refusedFiles} files lie in its spool/refused`,
      fix: 'They hold acknowledged rows that the store or the disk refused.',
    });
  if (freeBytes !== undefined && diskBytes !== undefined) {
    const little = freeBytes < LITTLE_SPACE_BYTES || freeBytes < diskBytes * LITTLE_SPACE_SHARE;
    const words = `${formatBytes(freeBytes)} of ${formatBytes(diskBytes)} are free on its disk`;
    findings.push(
      little
        ? { state: 'problem', words, fix: 'Free space or shorten `retention`: with a full disk ingest stops.' }
        : { state: 'ok', words },
    );
  }
  return findings;
}
