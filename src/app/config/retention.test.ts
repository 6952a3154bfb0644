import { expect, test } from 'vitest';
import { signalRetention } from './retention.ts';

const DAY = 86_400_000;

test.each([
  ['nothing said', {}, 7 * DAY, { metrics: 30, logs: 7, traces: 7 }],
  [
    'said',
    { metrics: 12 * DAY, logs: 3_600_000, traces: 'forever' },
    7 * DAY,
    { metrics: 12, logs: 1, traces: 'forever' },
  ],
  ['older ones are let in', {}, 45 * DAY, { metrics: 45, logs: 45, traces: 45 }],
  ['all times are let in', { logs: 3 * DAY }, 'any', { metrics: 'forever', logs: 3, traces: 'forever' }],
] as const)('%s', (_, retention, past, expected) => {
  const ingest = { accept: { past, future: 600_000 }, maxBody: 1 };
  expect(signalRetention({ retention: { objects: 90 * DAY, ...retention }, ingest })).toEqual(expected);
});
