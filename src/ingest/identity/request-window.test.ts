import { describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { createRequestWindow, WINDOW_MS } from './request-window.ts';

const clock = manualClock(1_000_000_000_000);
const hashOf = (body: string) => Buffer.from(body.padEnd(16));

/** A sender's side of the window: sends bodies, and says what was answered and how often a body was taken in. */
function sender(options: Partial<Parameters<typeof createRequestWindow<string>>[0]> = {}) {
  const window = createRequestWindow<string>({ clock, recent: [], weigh: (answer) => answer.length, ...options });
  const log = { takenIn: 0, repeated: 0 };
  const send = (body: string, kept: boolean | Promise<boolean> = true) =>
    window.once({
      hash: hashOf(body),
      async work() {
        const number = ++log.takenIn;
        return { kept: await kept, answer: `answer ${number}` };
      },
      again(first) {
        log.repeated++;
        return first ?? 'accepted';
      },
    });
  return { send, log, window };
}

/** A promise and what settles it. */
function pending() {
  let keep = () => {};
  let fail = () => {};
  const kept = new Promise<boolean>((resolve, reject) => {
    keep = () => resolve(true);
    fail = () => reject(new Error('the spool is full'));
  });
  return { kept, keep, fail };
}

describe('the window of requests', () => {
  test('a repetition is answered like the first and taken in no more', async () => {
    const { send, log } = sender();
    expect(await send('body')).toBe('answer 1');
    expect(await send('body')).toBe('answer 1');
    expect(await send('another body')).toBe('answer 2');
    expect(log).toEqual({ takenIn: 2, repeated: 1 });
  });

  test('what was not kept is taken in again', async () => {
    const { send, log } = sender();
    await send('body', false);
    expect(await send('body')).toBe('answer 2');
    expect(log).toEqual({ takenIn: 2, repeated: 0 });
  });

  test('while the first is under way, repetitions wait for its answer', async () => {
    const { send, log } = sender();
    const { kept, keep } = pending();
    const all = [send('body', kept), send('body'), send('body')];
    await Promise.resolve();
    expect(log.takenIn).toBe(1);
    keep();
    expect(await Promise.all(all)).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect(log).toEqual({ takenIn: 1, repeated: 2 });
  });

  test('when the first fails, one of those that waited is taken in', async () => {
    const { send, log } = sender();
    const { kept, fail } = pending();
    const first = send('body', kept);
    const others = [send('body'), send('body')];
    fail();
    await expect(first).rejects.toThrow('the spool is full');
    expect(await Promise.all(others)).toEqual(['answer 2', 'answer 2']);
    expect(log).toEqual({ takenIn: 2, repeated: 1 });
  });

  test.each([
    ['too many', { maxRequests: 3 }],
    ['answers that are too large together', { maxAnswerBytes: 3 * 'answer 1'.length }],
  ])('of %s the oldest are forgotten', async (_, bounds) => {
    const { send, log, window } = sender(bounds);
    for (const body of ['1', '2', '3', '4']) await send(body);
    expect(window.size()).toBe(3);
    await send('4');
    expect(log).toEqual({ takenIn: 4, repeated: 1 });
    await send('1');
    expect(log.takenIn).toBe(5);
  });

  test('all are forgotten after their time', async () => {
    const { send, log, window } = sender();
    for (const body of ['1', '2']) await send(body);
    await clock.advance(WINDOW_MS + 1);
    await send('2');
    expect(log).toEqual({ takenIn: 3, repeated: 0 });
    expect(window.size()).toBe(1);
  });

  test('what an earlier process took in is known, until its time has passed', async () => {
    const mark = (body: string, ageMs: number) => ({ hash: hashOf(body), atMs: clock.now() - ageMs });
    const recent = [mark('new', 1000), mark('old', WINDOW_MS + 1), mark('new', 2000), mark('of tomorrow', -86_400_000)];
    const { send, log, window } = sender({ recent });
    expect(window.size()).toBe(2);
    expect(await send('new')).toBe('accepted');
    expect(await send('of tomorrow')).toBe('accepted');
    expect(log).toEqual({ takenIn: 0, repeated: 2 });
    expect(await send('old')).toBe('answer 1');
    await clock.advance(WINDOW_MS);
    expect(await send('of tomorrow')).toBe('accepted');
    await clock.advance(1);
    expect(await send('of tomorrow')).toBe('answer 2');
  });
});
