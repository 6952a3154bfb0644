import { expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { createStateWatch, judgeSpool, type SpoolFacts } from './state.ts';

const calm: SpoolFacts = {
  bytes: 0,
  maxBytes: 100 * 2 ** 20,
  oldestSeconds: 0,
  storeUp: true,
  storeTrouble: undefined,
  refusedAtBytes: undefined,
  diskTrouble: undefined,
};
const MIB = 2 ** 20;

test.each<[string, Partial<SpoolFacts>, { state: string; message?: string }]>([
  ['nothing waits', {}, { state: 'ok' }],
  ['a second of rows waits', { bytes: 5 * MIB, oldestSeconds: 1 }, { state: 'ok' }],
  [
    'rows wait for long',
    { bytes: 5 * MIB, oldestSeconds: 61 },
    {
      state: 'behind',
      message: 'the store takes in less than arrives; 5.0 MiB of 100.0 MiB wait on disk, the oldest for 61 s',
    },
  ],
  [
    'the store is down',
    { bytes: 5 * MIB, oldestSeconds: 61, storeUp: false, storeTrouble: 'nobody answers' },
    { state: 'behind', message: 'the store is down; 5.0 MiB of 100.0 MiB wait on disk, the oldest for 61 s' },
  ],
  [
    'the store refuses',
    { bytes: 5 * MIB, oldestSeconds: 20, storeTrouble: 'no space left' },
    {
      state: 'behind',
      message:
        'the store does not take rows now (no space left); 5.0 MiB of 100.0 MiB wait on disk, the oldest for 20 s',
    },
  ],
  [
    'no more may wait',
    { bytes: 99 * MIB, refusedAtBytes: 99 * MIB, storeUp: false },
    {
      state: 'full',
      message: 'the store is down and 99.0 MiB wait for it, the most allowed; senders are told to try again',
    },
  ],
  ['it drains after it was full', { bytes: 89 * MIB, oldestSeconds: 3, refusedAtBytes: 99 * MIB }, { state: 'ok' }],
  [
    'the disk refuses, whatever else',
    { bytes: 100 * MIB, diskTrouble: 'the disk refuses: ENOSPC' },
    { state: 'disk-refuses', message: 'the disk refuses: ENOSPC; senders are told to try again' },
  ],
])('%s', (_, facts, expected) => {
  expect(judgeSpool({ ...calm, ...facts })).toEqual(expected);
});

test('it is known since when a state holds', async () => {
  const clock = manualClock(1000);
  const note = createStateWatch(clock);
  await clock.advance(50);
  expect(note('ok')).toBe(1000);
  expect(note('behind')).toBe(1050);
  await clock.advance(50);
  expect(note('behind')).toBe(1050);
  expect(note('ok')).toBe(1100);
});
