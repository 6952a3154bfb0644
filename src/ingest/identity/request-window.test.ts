import { describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { createRequestWindow, hashRequest, type IdentifiedRequest, WINDOW_MS } from './request-window.ts';

const clock = manualClock(1_000_000_000_000);
type Repetition = Awaited<ReturnType<IdentifiedRequest<string>['work']>>['repetition'];

/** A sender's side of the window: sends bodies, and says what was answered and how often a body was taken in. */
function sender(options: Partial<Parameters<typeof createRequestWindow<string>>[0]> = {}) {
  const window = createRequestWindow<string>({ clock, recent: [], ...options });
  const log = { takenIn: 0, repeated: 0 };
  const send = (body: string, result: Repetition | Promise<Repetition> = 'answer') =>
    window.once({
      hash: hashRequest('door', Buffer.from(body)),
      async work() {
        const number = ++log.takenIn;
        return { repetition: await result, answer: `answer ${number}` };
      },
      accepted: () => 'accepted',
      onRepeated: () => {
        log.repeated++;
      },
    });
  return { send, log, window };
}

describe('the window of requests', () => {
  test.each([
    { repetition: 'answer', second: 'answer 1', log: { takenIn: 1, repeated: 1 } },
    { repetition: 'accepted', second: 'accepted', log: { takenIn: 1, repeated: 1 } },
    { repetition: 'anew', second: 'answer 2', log: { takenIn: 2, repeated: 0 } },
  ] as const)('a repetition of what ended with $repetition', async ({ repetition, second, log }) => {
    const { send, log: seen } = sender();
    expect(await send('body', repetition)).toBe('answer 1');
    expect(await send('body', repetition)).toBe(second);
    expect(seen).toEqual(log);
    expect(await send('another body', repetition)).toBe(`answer ${log.takenIn + 1}`);
  });

  test('while the first is under way, repetitions wait for its answer', async () => {
    const { send, log } = sender();
    let finish: (how: Repetition) => void = () => {};
    const first = send('body', new Promise<Repetition>((resolve) => { finish = resolve; })); // biome-ignore format: short
    const others = [send('body'), send('body')];
    await Promise.resolve();
    expect(log.takenIn).toBe(1);
    finish('answer');
    expect(await Promise.all([first, ...others])).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect(log).toEqual({ takenIn: 1, repeated: 2 });
  });

  test('what failed is not remembered: of those that waited one takes it in', async () => {
    const { send, log } = sender();
    let fail: (error: Error) => void = () => {};
    const first = send('body', new Promise<Repetition>((_, reject) => { fail = reject; })); // biome-ignore format: short
    const others = [send('body'), send('body')];
    fail(new Error('the spool is full'));
    await expect(first).rejects.toThrow('the spool is full');
    expect(await Promise.all(others)).toEqual(['answer 2', 'answer 2']);
    expect(log).toEqual({ takenIn: 2, repeated: 1 });
  });

  test('it forgets after its time, and the oldest when there are too many', async () => {
    const { send, log, window } = sender({ maxRequests: 3 });
    for (const body of ['1', '2', '3', '4']) await send(body);
    expect(window.size()).toBe(3);
    await send('1');
    expect(log.takenIn).toBe(5);
    await send('4');
    expect(log).toEqual({ takenIn: 5, repeated: 1 });
    clock.advance(WINDOW_MS + 1);
    await send('4');
    expect(log.takenIn).toBe(6);
    expect(window.size()).toBe(1);
  });

  test('what an earlier process took in is answered as accepted, until its time has passed', async () => {
    const mark = (body: string, ageMs: number) => ({
      hash: hashRequest('door', Buffer.from(body)),
      atMs: clock.now() - ageMs,
    });
    const recent = [mark('new', 1000), mark('old', WINDOW_MS + 1), mark('new', 2000), mark('of tomorrow', -86_400_000)];
    const { send, log, window } = sender({ recent });
    expect(window.size()).toBe(2);
    expect(await send('new')).toBe('accepted');
    expect(await send('of tomorrow')).toBe('accepted');
    expect(log).toEqual({ takenIn: 0, repeated: 2 });
    expect(await send('old')).toBe('answer 1');
    clock.advance(WINDOW_MS);
    expect(await send('of tomorrow')).toBe('accepted');
    clock.advance(1);
    expect(await send('of tomorrow')).toBe('answer 2');
  });

  test('the same bytes at another door are another request', () => {
    const body = Buffer.from('body');
    expect(hashRequest('a', body)).not.toEqual(hashRequest('b', body));
    expect(hashRequest('a', body)).toHaveLength(16);
  });
});
