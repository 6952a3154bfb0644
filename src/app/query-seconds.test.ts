import { expect, test } from 'vitest';
import { manualClock } from '../base/index.ts';
import { createQuerySeconds } from './query-seconds.ts';

test('answers and failures of a reader are timed by kind', async () => {
  const clock = manualClock(0);
  const { timed, registry } = createQuerySeconds(clock);
  const reader = timed('logs', {
    base: 40,
    async search(add: number) {
      clock.advance(300);
      return this.base + add;
    },
    async fail() {
      throw new Error('down');
    },
  });
  expect(await reader.search(2)).toBe(42);
  await expect(reader.fail()).rejects.toThrow('down');
  const text = await registry.metrics();
  expect(text).toContain('trifocal_query_seconds_bucket{le="0.25",kind="logs"} 1');
  expect(text).toContain('trifocal_query_seconds_bucket{le="0.5",kind="logs"} 2');
  expect(text).toContain('trifocal_query_seconds_sum{kind="logs"} 0.3');
});
