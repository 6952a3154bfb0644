import type { Clock } from '../../base/index.ts';
import type { RequestMark } from '../sink.ts';

/** How long a request is remembered: senders give up on one, or have come again, long before. */
export const WINDOW_MS = 15 * 60_000;
/** How many are: about 220 a second for the whole window; with more, the oldest are forgotten earlier. */
export const WINDOW_REQUESTS = 200_000;
/** Of remembered answers, which are nearly always empty; with more, the oldest requests are forgotten earlier. */
const ANSWER_BYTES = 16 * 2 ** 20;

export interface IdentifiedRequest<T> {
  hash: Uint8Array;
  /** Takes the request in. `kept`: what it brought is stored, so a repetition must store nothing. */
  work(): Promise<{ answer: T; kept: boolean }>;
  /** Answers a repetition: as the first was, whose answer is undefined when an earlier process gave it. */
  again(first: T | undefined): T | Promise<T>;
}

/** Remembers requests, so that one which a sender repeats after a lost answer is taken in once. */
export interface RequestWindow<T> {
  /** The request's answer. While the same request is under way it waits for that one; if that is not kept, it is done anew. */
  once(request: IdentifiedRequest<T>): Promise<T>;
  /** Requests that are remembered. */
  size(): number;
}

/** `recent`: what earlier processes took in, in any order. */
export function createRequestWindow<T>(options: {
  clock: Clock;
  recent: readonly RequestMark[];
  /** The memory that an answer takes, in bytes. */
  weigh: (answer: T) => number;
  maxRequests?: number;
  maxAnswerBytes?: number;
}): RequestWindow<T> {
  const { clock, weigh, maxRequests = WINDOW_REQUESTS, maxAnswerBytes = ANSWER_BYTES } = options;
  /** By hash, oldest first: when it came, on the monotonic clock. */
  const done = new Map<string, Remembered<T>>();
  const underWay = new Map<string, Promise<unknown>>();
  let answerBytes = 0;

  const forget = (key: string, { answer }: Remembered<T>) => {
    done.delete(key);
    if (answer !== undefined) answerBytes -= weigh(answer);
  };
  const forgetOld = () => {
    const oldest = clock.monotonic() - WINDOW_MS;
    for (const [key, value] of done) {
      if (done.size <= maxRequests && answerBytes <= maxAnswerBytes && value.at >= oldest) return;
      forget(key, value);
    }
  };
  const remember = (key: string, value: Remembered<T>) => {
    const before = done.get(key);
    if (before !== undefined) forget(key, before); // so that the order stays that of time
    done.set(key, value);
    if (value.answer !== undefined) answerBytes += weigh(value.answer);
    forgetOld();
  };
  const now = clock.now();
  for (const { hash, atMs } of [...options.recent].sort((a, b) => a.atMs - b.atMs)) {
    remember(keyOf(hash), { at: clock.monotonic() - Math.max(0, now - atMs), answer: undefined });
  }

  return {
    async once({ hash, work, again }) {
      const key = keyOf(hash);
      for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) await first.catch(() => {});
      forgetOld();
      const known = done.get(key);
      if (known !== undefined) return again(known.answer);
      const running = work();
      underWay.set(key, running);
      try {
        const { answer, kept } = await running;
        if (kept) remember(key, { at: clock.monotonic(), answer });
        return answer;
      } finally {
        underWay.delete(key);
      }
    },
    size: () => done.size,
  };
}

interface Remembered<T> {
  at: number;
  answer: T | undefined;
}

/** One byte a character: what V8 keeps smallest. */
function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1');
}
