import type { Command } from 'commander';
import type { z } from 'zod';
import { errorResponse } from '../api/contract/index.ts';

/** Ends a command with one sentence on standard error and exit code 1. */
export class CliError extends Error {
  override name = 'CliError';
}

export const DEFAULT_SERVER = 'http://127.0.0.1:4319';

/** The option that every command which asks a server has. */
export function withServer(command: Command): Command {
  return command.option('--server <url>', 'address of the running Trifocal', DEFAULT_SERVER);
}

/** One request to the server; the answer is checked against its contract. */
export async function callApi<S extends z.ZodType>(options: {
  server: string;
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  schema: S;
}): Promise<z.output<S>> {
  const url = new URL(options.path, options.server);
  for (const [name, value] of Object.entries(options.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const response = await request(url, options.body === undefined ? {} : jsonPost(options.body));
  const text = await response.text();
  if (!response.ok) throw new CliError(errorText(text, response.status));
  return options.schema.parse(JSON.parse(text));
}

export function jsonPost(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Any request to the server, its answer unread. Throws CliError when nobody answers. */
export async function request(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CliError(`No Trifocal answers at ${url.origin} (${reason}). Start one with npm start, or pass --server.`);
  }
}

/** What an answer with an error says, whichever API's form it has. */
export function errorText(text: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const own = errorResponse.safeParse(parsed);
    if (own.success) return [own.data.error.message, own.data.error.hint].filter(Boolean).join('\n');
    if (typeof parsed === 'object' && parsed && 'error' in parsed) return String(parsed.error); // Prometheus' form
  } catch {
    // not JSON: show it as it is
  }
  return `HTTP ${status}: ${text.slice(0, 500)}`;
}
