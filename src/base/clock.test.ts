import { expect, test } from 'vitest';
import { manualClock, systemClock } from './clock.ts';

test('a manual clock wakes sleepers in the order of their deadlines', async () => {
  const clock = manualClock(1000);
  const woken: string[] = [];
  clock.sleep(20).then(() => woken.push(`b at ${clock.now()}`));
  clock.sleep(10).then(() => woken.push(`a at ${clock.now()}`));
  await clock.advance(15);
  expect(woken).toEqual(['a at 1010']);
  await clock.advance(15);
  expect(woken).toEqual(['a at 1010', 'b at 1020']);
  expect([clock.now(), clock.monotonic()]).toEqual([1030, 30]);
});

test('an aborted sleep rejects with the reason, on both clocks', async () => {
  for (const clock of [manualClock(0), systemClock]) {
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  }
});
