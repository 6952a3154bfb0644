import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { telemetryResponse } from '../../api/contract/index.ts';
import { parseTime } from '../../model/index.ts';
import { CliError, callApi, withServer } from '../client.ts';
import { formatBytes, formatSeconds } from '../format.ts';
import { ContentError, runImport } from '../import/run.ts';
import { describeFiles, type ImportState, readState, removeState } from '../import/state.ts';
import type { Program } from '../program.ts';
import { progressLine } from '../progress.ts';

interface ImportFlags {
  server: string;
  cluster?: string;
  at?: string;
  state?: string;
  parallel: string;
}

/** `trifocal import FILE…`: history of any known format, through the doors that live data comes by. */
export function registerImport(root: Command, program: Program): void {
  withServer(root.command('import').description('import history from files (docs/import.md names the formats)'))
    .argument('<files...>', 'files, each also gzipped, or folders of them')
    .option('--cluster <name>', 'cluster of signals that do not name one themselves')
    .option('--at <time>', 'since when Kubernetes objects hold (default: now)')
    .option('--state <file>', 'where progress is kept (default: <first file>.trifocal-import)')
    .option('--parallel <n>', 'requests at once', '4')
    .action((files: string[], flags: ImportFlags) => importFiles(files, flags, program));
}

async function importFiles(files: readonly string[], flags: ImportFlags, program: Program): Promise<void> {
  const paths = files.flatMap(listFiles);
  if (paths.length === 0) throw new CliError('There is no file to import in there.');
  const parallel = Number(flags.parallel);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 64)
    throw new CliError('--parallel: a number from 1 to 64.');
  const stateFile = flags.state ?? `${(files[0] ?? '').replace(/\/+$/, '')}.trifocal-import`;
  const { state, resumed } = openState(stateFile, paths, flags);
  if (resumed) program.stderr(`Going on after ${state.done} requests of an interrupted import (${stateFile}).\n`);
  const before = await itemsTaken(flags.server);
  const stop = new AbortController();
  const onSignal = () => stop.abort(new CliError('stopped'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const started = performance.now();
  const progress = progressLine(program.stderr);
  const total = state.files.reduce((sum, file) => sum + file.size, 0);
  let sent = 0;
  try {
    await runImport(state, {
      stateFile,
      parallel,
      version: program.version,
      signal: stop.signal,
      onProgress: ({ read, sentBytes }) => {
        sent = sentBytes;
        progress.show(() =>
          describeProgress({ read, total, sentBytes, seconds: (performance.now() - started) / 1000 }),
        );
      },
    });
    removeState(stateFile);
  } catch (error) {
    progress.clear();
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const words = stop.signal.aborted ? 'Stopped' : `The import broke off: ${message}`;
    if (error instanceof ContentError) {
      // The file has to be changed, and then it is another import.
      removeState(stateFile);
      const sent = state.done > 0 ? ' What came before is imported, and is recognised when it comes again.' : '';
      throw new CliError(`${words}.${sent}`);
    }
    const next = existsSync(stateFile) ? ` The same command goes on where it stopped (${stateFile}).` : '';
    throw new CliError(`${words}.${next}`);
  } finally {
    progress.clear();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  const seconds = (performance.now() - started) / 1000;
  const taken = (await itemsTaken(flags.server)) - before;
  program.stdout(`${summary(state, { taken, sent, seconds, resumed })}\n`);
}

function listFiles(path: string): string[] {
  if (!existsSync(path)) throw new CliError(`There is no ${path}.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.includes('.trifocal-import'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function openState(
  stateFile: string,
  paths: readonly string[],
  flags: ImportFlags,
): { state: ImportState; resumed: boolean } {
  const atMs = flags.at === undefined ? undefined : parseTime(flags.at, Date.now());
  if (flags.at !== undefined && atMs === undefined)
    throw new CliError(`--at: ${JSON.stringify(flags.at)} is not a time.`);
  const at = atMs === undefined ? undefined : new Date(atMs).toISOString();
  const files = describeFiles(paths);
  const { server, cluster } = flags;
  const wanted = { files, server, ...(cluster === undefined ? {} : { cluster }) };
  const left = readState(stateFile, { ...wanted, ...(at === undefined || flags.at?.startsWith('now') ? {} : { at }) });
  if (left) return { state: left, resumed: true };
  const state: ImportState = {
    format: 1,
    ...wanted,
    at: at ?? new Date().toISOString(),
    done: 0,
    accepted: 0,
    rejected: {},
    skipped: [],
  };
  return { state, resumed: false };
}

/** What the server counted of imports so far. Only their difference means something, and only while one import runs. */
async function itemsTaken(server: string): Promise<number> {
  const { sources } = await callApi({ server, path: '/api/telemetry', schema: telemetryResponse });
  return sources.filter(({ name }) => name.includes('trifocal-import')).reduce((sum, { items }) => sum + items, 0);
}

function describeProgress(now: { read: number; total: number; sentBytes: number; seconds: number }): string {
  const share = now.total === 0 ? 1 : now.read / now.total;
  const left = share > 0 ? (now.seconds * (1 - share)) / share : Number.NaN;
  const rate = now.seconds > 0 ? now.sentBytes / now.seconds : 0;
  const eta = Number.isFinite(left) && now.seconds > 2 ? `, ${formatSeconds(left)} left` : '';
  return `${Math.floor(share * 100)} %  ${formatBytes(now.read)} of ${formatBytes(now.total)}  ${formatBytes(rate)}/s${eta}`;
}

function summary(
  state: ImportState,
  { taken, sent, seconds, resumed }: { taken: number; sent: number; seconds: number; resumed: boolean },
): string {
  const rejected = Object.entries(state.rejected);
  const lost = rejected.reduce((sum, [, { count }]) => sum + count, 0);
  // Of less than a second a rate says nothing.
  const time =
    seconds < 1
      ? `in less than a second (${formatBytes(sent)})`
      : `in ${formatSeconds(seconds)} (${Math.round(taken / seconds)}/s, ${formatBytes(sent)})`;
  return [
    `${taken} signals ${resumed ? 'in this run ' : ''}${time}, ${lost} rejected.`,
    ...state.skipped.map((file) => `  Not imported: ${file}.`),
    ...rejected.map(
      ([reason, { count, example }]) => `  ${reason}: ${count}, the first: ${example.replace(/\.$/, '')}`,
    ),
    ...(state.rejected.too_old
      ? [
          '  History that old is taken when trifocal.yaml says `ingest: { accept: { past: any } }` (and `retention` keeps it); import again then.',
        ]
      : []),
  ].join('\n');
}
