import { CliError } from '../client.ts';
import type { BadPart, Batch, SkippedFile } from './batch.ts';
import { batchesOf } from './batches.ts';
import { type Content, openContent } from './content.ts';
import { detectFormat, UnknownFormat } from './format.ts';
import { type Outcome, sendBatch } from './send.ts';
import { type ImportState, writeState } from './state.ts';

export interface ImportRun {
  stateFile: string;
  parallel: number;
  version: string;
  signal: AbortSignal;
  /** Bytes of the files that were read, requests and bytes that were sent since this run began. */
  onProgress(progress: { read: number; requests: number; sentBytes: number; waiting: boolean }): void;
}

const HEAD_BYTES = 64 * 1024;
const SAVE_EVERY_MS = 1_000;

/** What a file holds cannot be imported, however often it is tried. */
export class ContentError extends CliError {}

/**
 * Sends everything that `state` does not hold as done, several requests at once. Fills `state` and keeps it in its file, so
 * that another run goes on at the first request that is not known to be done. Throws CliError, or the signal's reason.
 */
export async function runImport(state: ImportState, run: ImportRun): Promise<void> {
  const unknown = await unknownFiles(state);
  const before = { ...state, rejected: structuredClone(state.rejected) };
  /** Outcomes after the first request that is still under way. */
  const early = new Map<number, Outcome | BadPart | SkippedFile>();
  let number = 0;
  let requests = 0;
  let sentBytes = 0;
  let savedAt = performance.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const under = new Set<Promise<void>>();
  let failure: unknown;

  const finish = (of: number, outcome: Outcome | BadPart | SkippedFile) => {
    early.set(of, outcome);
    for (let next = early.get(state.done); next; next = early.get(state.done)) {
      early.delete(state.done);
      state.done++;
      count(state, next);
    }
    if (performance.now() - savedAt < SAVE_EVERY_MS) return;
    savedAt = performance.now();
    writeState(run.stateFile, state);
  };
  const send = async (of: number, batch: Batch) => {
    try {
      const outcome = await sendBatch(batch, {
        server: state.server,
        version: run.version,
        signal,
        ...(state.cluster === undefined ? {} : { cluster: state.cluster }),
      });
      requests++;
      sentBytes += batch.body.length;
      finish(of, outcome);
    } catch (error) {
      failure ??= error;
      stop.abort();
    }
  };

  let readBefore = 0;
  try {
    for (const { path } of state.files) {
      const skipped = unknown.get(path);
      if (skipped !== undefined) {
        const of = number++;
        if (of >= before.done) finish(of, { skipped });
        continue;
      }
      const content = openContent(path);
      try {
        for await (const batch of await open(path, content, state.at)) {
          const of = number++;
          if (of < before.done) continue;
          if (signal.aborted) break;
          if ('reason' in batch) {
            finish(of, batch);
            continue;
          }
          const sending = send(of, batch).finally(() => under.delete(sending));
          under.add(sending);
          run.onProgress({ read: readBefore + content.read(), requests, sentBytes, waiting: false });
          if (under.size >= run.parallel) await Promise.race(under);
        }
      } catch (error) {
        throw error instanceof CliError || signal.aborted ? error : new ContentError(`${path} ${sentence(error)}.`);
      } finally {
        content.close();
        readBefore += content.size;
      }
      if (signal.aborted) break;
    }
    await Promise.all(under);
    if (failure !== undefined) throw failure;
    run.signal.throwIfAborted();
    run.onProgress({ read: readBefore, requests, sentBytes, waiting: false });
  } finally {
    await Promise.all(under);
    // Before the first answer there is nothing to go on from.
    if (requests > 0 || state.done > 0) writeState(run.stateFile, state);
  }
}

/** Files of no known format, by path, found before anything is sent. Throws ContentError when no other is left. */
async function unknownFiles({ files }: ImportState): Promise<Map<string, string>> {
  const unknown = new Map<string, string>();
  for (const { path } of files) {
    const content = openContent(path);
    try {
      await open(path, content, '');
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      unknown.set(path, error.message.replace(/\.$/, ''));
      if (unknown.size === files.length) throw error;
    } finally {
      content.close();
    }
  }
  return unknown;
}

async function open(path: string, content: Content, at: string) {
  try {
    return batchesOf(content, detectFormat(await content.head(HEAD_BYTES)), { at });
  } catch (error) {
    if (error instanceof UnknownFormat) throw new ContentError(`${path} ${error.message}.`);
    throw new ContentError(`${path} ${sentence(error)}.`);
  }
}

function sentence(error: unknown): string {
  return `can't be read on: ${error instanceof Error ? error.message : error}`;
}

function count(state: ImportState, outcome: Outcome | BadPart | SkippedFile): void {
  if ('skipped' in outcome) {
    state.skipped.push(outcome.skipped);
    return;
  }
  const rejected =
    'rejected' in outcome
      ? outcome.rejected
      : [{ reason: 'invalid', count: 1, example: `${outcome.place}: ${outcome.reason}` }];
  if ('accepted' in outcome) state.accepted += outcome.accepted;
  for (const { reason, count: more, example } of rejected) {
    const known = state.rejected[reason];
    state.rejected[reason] = { count: (known?.count ?? 0) + more, example: known?.example ?? example };
  }
}
