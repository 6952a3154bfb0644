import { createHash } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import type { RequestMark } from '../sink.ts';

/** How long a request is remembered: senders give up on one, or have come again, long before. */
export const WINDOW_MS = 15 * 60_000;
/** How many are: about 220 a second for the whole window; with more, the oldest are forgotten earlier. */
export const WINDOW_REQUESTS = 200_000;

export interface IdentifiedRequest<T> {
  hash: Uint8Array;
  /**
   * Takes the request in. Says how a repetition is to be answered: with the same `answer`, with that of `accepted` (the usual
   * case, and all that survives a restart), or `anew`, as if it were the first: nothing was taken in, or it has no identity.
   */
  work(): Promise<{ answer: T; repetition: 'answer' | 'accepted' | 'anew' }>;
  /** What the door answers when all is well. */
  accepted(): T;
  /** It is a repetition and stores nothing. */
  onRepeated(): void;
}

/** Remembers requests, so that one which a sender repeats after a lost answer is taken in once. */
export interface RequestWindow<T> {
  /** The request's answer. While the same request is under way it waits for that one; if that fails, it is done anew. */
  once(request: IdentifiedRequest<T>): Promise<T>;
  /** Requests that are remembered. */
  size(): number;
}

/** `recent`: what earlier processes took in, in any order. */
export function createRequestWindow<T>(options: {
  clock: Clock;
  recent: readonly RequestMark[];
  maxRequests?: number;
}): RequestWindow<T> {
  const { clock, maxRequests = WINDOW_REQUESTS } = options;
  /** By hash, oldest first: when it came, on the monotonic clock, and its answer unless that was the usual one. */
  const done = new Map<string, number | { at: number; answer: T }>();
  const underWay = new Map<string, Promise<unknown>>();

  const forgetOld = () => {
    const oldest = clock.monotonic() - WINDOW_MS;
    for (const [key, value] of done) {
      if (done.size <= maxRequests && timeOf(value) >= oldest) return;
      done.delete(key);
    }
  };
  const remember = (key: string, value: number | { at: number; answer: T }) => {
    done.delete(key); // so that the order stays that of time
    done.set(key, value);
    forgetOld();
  };
  const now = clock.now();
  for (const { hash, atMs } of [...options.recent].sort((a, b) => a.atMs - b.atMs)) {
    remember(keyOf(hash), clock.monotonic() - Math.max(0, now - atMs));
  }

  return {
    async once({ hash, work, accepted, onRepeated }) {
      const key = keyOf(hash);
      for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) await first.catch(() => {});
      forgetOld();
      const known = done.get(key);
      if (known !== undefined) {
        onRepeated();
        return typeof known === 'number' ? accepted() : known.answer;
      }
      const running = work();
      underWay.set(key, running);
      try {
        const { answer, repetition } = await running;
        const at = clock.monotonic();
        if (repetition !== 'anew') remember(key, repetition === 'accepted' ? at : { at, answer });
        return answer;
      } finally {
        underWay.delete(key);
      }
    },
    size: () => done.size,
  };
}

function timeOf(value: number | { at: number }): number {
  return typeof value === 'number' ? value : value.at;
}

/** One byte a character: what V8 keeps smallest. */
function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1');
}

/** What tells requests apart: the door and the body as it was sent. 16 bytes of SHA-256, so nobody can make two collide. */
export function hashRequest(door: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(door).update('\0').update(body).digest().subarray(0, 16);
}
