import { type Backoff, type Clock, deadline, retry } from '../../base/index.ts';

const BACKOFF: Backoff = { firstMs: 100, maxMs: 5000, factor: 2 };
const ATTEMPTS = 40;
const ANSWER_TIMEOUT_MS = 30_000;

/** The receiver said no, and asking again would not help. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly status: number;
  constructor(url: string, status: number, text: string) {
    super(`${url} answered ${status}: ${text.slice(0, 300)}`);
    this.status = status;
  }
}

/**
 * Delivers one body as a well-behaved agent does: what may pass (no connection, 429, 502, 503, 504) is tried again
 * with growing pauses, after `Retry-After` where it is given. Throws RefusedError for any other answer.
 */
export async function post(options: {
  url: string;
  body: Uint8Array;
  headers: Record<string, string>;
  clock: Clock;
  signal: AbortSignal;
}): Promise<void> {
  const { url, body, headers, clock, signal } = options;
  await retry({
    clock,
    signal,
    backoff: BACKOFF,
    giveUp: (error, attempt) => error instanceof RefusedError || attempt >= ATTEMPTS,
    work: async () => {
      const response = await fetch(url, {
        method: 'POST',
        body: body as Uint8Array<ArrayBuffer>, // no body here lives in shared memory
        headers,
        signal: deadline(ANSWER_TIMEOUT_MS, signal),
      });
      const text = await response.text();
      if (response.ok) return;
      if (![429, 502, 503, 504].includes(response.status)) throw new RefusedError(url, response.status, text);
      const pauseS = Number(response.headers.get('retry-after'));
      if (pauseS > 0) await clock.sleep(Math.min(30, pauseS) * 1000, signal);
      throw new Error(`${url} answered ${response.status}`);
    },
  });
}
