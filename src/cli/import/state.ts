import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { CliError } from '../client.ts';

const stateSchema = z.object({
  format: z.literal(1),
  /** Size and time of change of every file, so that a changed file is not continued. */
  files: z.array(z.object({ path: z.string(), size: z.number(), changedMs: z.number() })),
  cluster: z.string().optional(),
  /** The `--at` of the first run. */
  at: z.string(),
  server: z.string(),
  /** All requests before this one, counted over all files, are done. */
  done: z.number(),
  accepted: z.number(),
  rejected: z.record(z.string(), z.object({ count: z.number(), example: z.string() })),
  /** Files that were not imported, each with the reason. */
  skipped: z.array(z.string()).default([]),
});
export type ImportState = z.infer<typeof stateSchema>;

export function describeFiles(paths: readonly string[]): ImportState['files'] {
  return paths.map((path) => {
    const { size, mtimeMs } = statSync(path);
    return { path, size, changedMs: mtimeMs };
  });
}

/** What an earlier run of the same import left, if it was interrupted. Throws CliError when it does not fit. */
export function readState(
  file: string,
  wanted: Pick<ImportState, 'files' | 'cluster' | 'server'> & { at?: string },
): ImportState | undefined {
  if (!existsSync(file)) return undefined;
  const advice = `delete ${file} to begin anew`;
  const state = stateSchema.safeParse(parseJson(readFileSync(file, 'utf8'))).data;
  if (!state) throw new CliError(`${file} is not the state of an import; ${advice}, or name another with --state.`);
  const differs =
    JSON.stringify(state.files) !== JSON.stringify(wanted.files)
      ? 'the files have changed'
      : state.cluster !== wanted.cluster
        ? '--cluster was another'
        : wanted.at !== undefined && state.at !== wanted.at
          ? '--at was another'
          : new URL(state.server).origin !== new URL(wanted.server).origin
            ? 'it went to another server'
            : undefined;
  if (differs) throw new CliError(`The interrupted import can't go on, since ${differs}; ${advice}.`);
  return state;
}

/** In one step: an interruption leaves the old state or the new. */
export function writeState(file: string, state: ImportState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

export function removeState(file: string): void {
  rmSync(file, { force: true });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
