import type { ErrorResponse } from '../api/contract/index.ts';

/** A refusal or failure in the server's words, or the network's. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export type Params = Record<string, string | number | boolean | undefined>;

/** The answer of `GET path?params` from the own origin. `T` is the contract's type for that path: the server has checked it. */
export async function getJson<T>(path: string, params: Params, signal: AbortSignal): Promise<T> {
  const response = await reach(withParams(path, params), { signal });
  return readJson<T>(response);
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return readJson<T>(response);
}

export function withParams(path: string, params: Params): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(
      0,
      'unreachable',
      'Trifocal does not answer.',
      'Is the server still running? The page tries again by itself.',
    );
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text);
  try {
    // The contract's schemas are checked where the answer is made; checking again here would ship them to every browser.
    return JSON.parse(text) as T;
  } catch {
    throw new ApiError(
      response.status,
      'not-json',
      'The answer is not JSON.',
      'Is something else listening on this address?',
    );
  }
}

function errorOf(status: number, text: string): ApiError {
  try {
    // Anything may stand here (a proxy's page, too), so every step is checked.
    const body = JSON.parse(text) as Partial<ErrorResponse> & { errorType?: string };
    if (typeof body.error === 'string') return new ApiError(status, String(body.errorType ?? 'error'), body.error);
    if (body.error?.message) return new ApiError(status, body.error.code, body.error.message, body.error.hint);
  } catch {
    // Not JSON: the status line is all there is.
  }
  return new ApiError(status, 'http', `The server answered ${status}.`);
}
