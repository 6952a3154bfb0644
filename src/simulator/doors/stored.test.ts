import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { whenStored } from './stored.ts';

/** A Trifocal whose oldest waiting batch has these ages, one after the other; the last one stays. */
async function ages(seconds: (number | string)[], use: (trifocal: string) => Promise<void>): Promise<number> {
  let asked = 0;
  const server = createServer((_, response) => {
    const age = seconds[Math.min(asked++, seconds.length - 1)];
    response.end(typeof age === 'string' ? age : `# TYPE x gauge\ntrifocal_spool_oldest_seconds ${age}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    await use(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  } finally {
    server.close();
  }
  return asked;
}

const { signal } = new AbortController();

test('it waits as long as something older than the call waits in the spool', async () => {
  const asked = await ages([12.5, 13, 12, 0], async (trifocal) => {
    expect(await whenStored({ trifocal, limitMs: 60_000, clock: systemClock, signal })).toBe(true);
  });
  expect(asked).toBeGreaterThanOrEqual(4);
});

test.each([[[99]], [['nothing about that']]])('it does not wait for ever (%j)', async (answers) => {
  await ages(answers, async (trifocal) => {
    expect(await whenStored({ trifocal, limitMs: 300, clock: systemClock, signal })).toBe(false);
  });
});
