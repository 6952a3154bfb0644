import { expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { RateLimitError } from '../sink.ts';
import { createRateLimiter, defaultRateLimits, type RateLimits } from './limit-rate.ts';

const none = { samples: 0, exemplars: 0, logs: 0, spans: 0, objects: 0 };

function start(limits: Partial<RateLimits>) {
  const clock = manualClock(0);
  const limiter = createRateLimiter({ ...defaultRateLimits, burstSeconds: 2, ...limits }, clock);
  /** Seconds to wait, or 0. */
  const ask = (sender: string, signal: 'samples' | 'logs' | 'spans' | 'objects' = 'samples', bytes = 1) => {
    try {
      limiter.admit(sender, signal, bytes);
      return 0;
    } catch (error) {
      if (error instanceof RateLimitError) return error.retryAfterSeconds;
      throw error;
    }
  };
  return { clock, limiter, ask };
}

test('nothing is limited unless it is configured', () => {
  const { limiter, ask } = start({});
  limiter.charge('a', { ...none, samples: 1e12 });
  expect(ask('a', 'samples', 1e12)).toBe(0);
});

test('a burst goes through; who owes waits until it is paid, and only for that signal', async () => {
  const { clock, limiter, ask } = start({ samples: 100 });
  expect(ask('a')).toBe(0);
  limiter.charge('a', { ...none, samples: 500 });
  expect(ask('a')).toBe(3); // 200 were free, 300 are owed
  expect(ask('a', 'logs')).toBe(0);
  expect(ask('b')).toBe(0);
  await clock.advance(2_000);
  expect(ask('a')).toBe(1);
  await clock.advance(1_001);
  expect(ask('a')).toBe(0);
  // In the long run it is the rate.
  let taken = 0;
  for (let second = 0; second < 100; second++) {
    if (ask('a') === 0) {
      limiter.charge('a', { ...none, samples: 150 });
      taken += 150;
    }
    await clock.advance(1_000);
  }
  expect(taken / 100).toBeGreaterThan(95);
  expect(taken / 100).toBeLessThan(105);
});

test.each<[keyof RateLimits, 'logs' | 'spans', Partial<typeof none>]>([
  ['lines', 'logs', { logs: 10 }],
  ['spans', 'spans', { spans: 10 }],
])('%s have a rate of their own', (limit, signal, counts) => {
  const { limiter, ask } = start({ [limit]: 1 });
  limiter.charge('a', { ...none, ...counts });
  expect(ask('a', signal)).toBeGreaterThan(0);
  expect(ask('a', 'samples')).toBe(0);
});

test('bytes count before decoding, whatever they hold', () => {
  const { limiter, ask } = start({ bytes: 1000 });
  expect(ask('a', 'objects', 3500)).toBe(0);
  expect(ask('a', 'objects')).toBe(2);
  expect(() => limiter.admit('a', 'samples', 1)).toThrow(
    'a sends more than 1000 bytes per second, the most allowed (limits.rate.bytes); try again in 2 s',
  );
});

test('the memory of senders is bounded: who has rested is forgotten, the rest share one', async () => {
  const { clock, limiter, ask } = start({ lines: 1 });
  for (let i = 0; i < 10_000; i++) limiter.charge(`s${i}`, { ...none, logs: 100 });
  limiter.charge('one more', { ...none, logs: 100 });
  expect(ask('yet another', 'logs')).toBeGreaterThan(0);
  await clock.advance(200_000);
  expect(ask('yet another', 'logs')).toBe(0);
  expect(ask('s1', 'logs')).toBe(0);
});
