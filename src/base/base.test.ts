import { expect, test } from 'vitest';
import { backoffDelay, createSemaphore, manualClock, nearest, newId, retry } from './index.ts';

test('delays double up to the ceiling, and jitter takes at most half', () => {
  const backoff = { firstMs: 100, maxMs: 1000, factor: 2 };
  expect([1, 2, 3, 4, 5].map((failures) => backoffDelay(backoff, failures, 1))).toEqual([100, 200, 400, 800, 1000]);
  expect(backoffDelay(backoff, 3, 0)).toBe(200);
});

test('retry goes on until it succeeds, and stops where it is told to', async () => {
  const clock = manualClock(0);
  const backoff = { firstMs: 10, maxMs: 10, factor: 1 };
  const succeedsAt = (attempt: number) => async (now: number) => {
    if (now < attempt) throw new Error(`failed ${now}`);
    return now;
  };
  const patient = retry({ work: succeedsAt(3), clock, backoff });
  for (let i = 0; i < 3; i++) await clock.advance(10);
  expect(await patient).toBe(3);
  const impatient = retry({ work: succeedsAt(9), clock, backoff, giveUp: (_, attempt) => attempt === 1 });
  await expect(impatient).rejects.toThrow('failed 1');
});

test('a semaphore never lets more in than its limit, and a waiter can leave', async () => {
  const semaphore = createSemaphore(2);
  const releases: (() => void)[] = [];
  const work = () => semaphore.run(() => new Promise<void>((resolve) => releases.push(resolve)));
  const first = [work(), work()];
  const controller = new AbortController();
  const leaving = semaphore.run(async () => 'never', controller.signal);
  const waiting = semaphore.run(async () => 'ran');
  expect([semaphore.running, semaphore.waiting]).toEqual([2, 2]);
  controller.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  for (const release of releases) release();
  expect(await waiting).toBe('ran');
  await Promise.all(first);
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
});

test('the nearest word is found for slips, not for other words', () => {
  const words = ['listen', 'retention', 'clusters'];
  expect(nearest('retenton', words)).toBe('retention');
  expect(nearest('Cluster', words)).toBe('clusters');
  expect(nearest('notify', words)).toBeUndefined();
});

test('ids differ and say what they name', () => {
  const ids = new Set(Array.from({ length: 1000 }, () => newId('inv')));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^inv_[0-9a-z]{16}$/);
});
