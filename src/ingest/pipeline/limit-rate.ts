import type { Clock } from '../../base/index.ts';
import type { SignalKind } from '../../model/index.ts';
import { RateLimitError } from '../sink.ts';

/** Per second and sender; `off` where nothing is limited. */
export interface RateLimits {
  samples: number | 'off';
  lines: number | 'off';
  spans: number | 'off';
  bytes: number | 'off';
  /** So many seconds' worth may come at once. */
  burstSeconds: number;
}

/** Off: one collector often carries a whole cluster, and what is too much for the server is answered by back-pressure anyway. */
export const defaultRateLimits: RateLimits = {
  samples: 'off',
  lines: 'off',
  spans: 'off',
  bytes: 'off',
  burstSeconds: 10,
};

/**
 * Token buckets per sender. They may go into debt: what a request holds is only known once it is decoded, and work that is done is
 * not thrown away. So a request is let in while its sender owes nothing, and pays afterwards.
 */
export interface RateLimiter {
  /** Before decoding. Throws RateLimitError while the sender has more than its share of bytes or of this signal. */
  admit(sender: string, signal: SignalKind, bytes: number): void;
  /** After decoding: what the request held. */
  charge(sender: string, counts: Readonly<Record<SignalKind, number>>): void;
}

const LIMITED = ['samples', 'lines', 'spans', 'bytes'] as const;
type Limited = (typeof LIMITED)[number];

const MAX_SENDERS = 10_000;
const OTHERS = 'other senders';
const MAX_WAIT_SECONDS = 60;

/** What counts against which limit. */
const LIMIT_OF: Readonly<Partial<Record<SignalKind, Limited>>> = {
  samples: 'samples',
  exemplars: 'samples',
  logs: 'lines',
  spans: 'spans',
};

interface Bucket {
  /** May be negative. */
  tokens: number;
  filledMs: number;
}

export function createRateLimiter(limits: RateLimits, clock: Pick<Clock, 'monotonic'>): RateLimiter {
  const senders = new Map<string, Map<Limited, Bucket>>();

  const capacity = (rate: number) => rate * limits.burstSeconds;
  const refill = (bucket: Bucket, rate: number) => {
    const now = clock.monotonic();
    bucket.tokens = Math.min(capacity(rate), bucket.tokens + ((now - bucket.filledMs) / 1000) * rate);
    bucket.filledMs = now;
  };
  /** Who has a full bucket is as good as unknown. */
  const forgetRested = () => {
    for (const [sender, buckets] of senders) {
      const rested = [...buckets].every(([what, bucket]) => {
        const rate = limits[what];
        if (rate === 'off') return true;
        refill(bucket, rate);
        return bucket.tokens >= capacity(rate);
      });
      if (rested) senders.delete(sender);
    }
  };
  const bucketsOf = (sender: string): Map<Limited, Bucket> => {
    const known = senders.get(sender);
    if (known !== undefined) return known;
    if (senders.size >= MAX_SENDERS) forgetRested();
    if (senders.size >= MAX_SENDERS && sender !== OTHERS) return bucketsOf(OTHERS);
    const buckets = new Map<Limited, Bucket>();
    senders.set(sender, buckets);
    return buckets;
  };
  const bucketOf = (sender: string, what: Limited, rate: number): Bucket => {
    const buckets = bucketsOf(sender);
    let bucket = buckets.get(what);
    if (bucket === undefined) {
      bucket = { tokens: capacity(rate), filledMs: clock.monotonic() };
      buckets.set(what, bucket);
    }
    refill(bucket, rate);
    return bucket;
  };
  const ask = (sender: string, what: Limited) => {
    const rate = limits[what];
    if (rate === 'off') return;
    const { tokens } = bucketOf(sender, what, rate);
    if (tokens > 0) return;
    const seconds = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(-tokens / rate)));
    throw new RateLimitError(
      `${sender} sends more than ${rate} ${what} per second, the most allowed (limits.rate.${what}); try again in ${seconds} s`,
      seconds,
    );
  };
  const take = (sender: string, what: Limited, count: number) => {
    const rate = limits[what];
    if (rate !== 'off' && count > 0) bucketOf(sender, what, rate).tokens -= count;
  };

  return {
    admit(sender, signal, bytes) {
      ask(sender, 'bytes');
      const limit = LIMIT_OF[signal];
      if (limit !== undefined) ask(sender, limit);
      take(sender, 'bytes', bytes);
    },
    charge(sender, counts) {
      take(sender, 'samples', counts.samples + counts.exemplars);
      take(sender, 'lines', counts.logs);
      take(sender, 'spans', counts.spans);
    },
  };
}
