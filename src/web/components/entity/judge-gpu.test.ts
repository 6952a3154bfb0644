import { expect, it } from 'vitest';
import { judgeGpu } from './judge-gpu.ts';

const well = { health: 'ok' as const, reason: undefined, thermal: 0, power: 0, temperature: 66, isSeen: true };

it.each([
  ['well', well, { state: 'ok', kind: 'well', words: 'is well' }],
  [
    'hot',
    { ...well, thermal: 0.62, temperature: 91 },
    { state: 'warning', kind: 'throttled', words: 'is held down for heat 62\u2009% of the time at 91\u2009°C' },
  ],
  ['a touch of heat', { ...well, thermal: 0.01 }, { state: 'ok' }],
  [
    'at its power cap',
    { ...well, power: 0.4 },
    { state: 'ok', kind: 'well', words: 'is well; its power cap holds it down 40\u2009% of the time' },
  ],
  [
    'faulty',
    { ...well, health: 'failing' as const, reason: 'XID 79' },
    { state: 'critical', kind: 'faulty', words: 'needs attention: XID 79' },
  ],
  ['silence is never an old number', { ...well, thermal: 0.9, isSeen: false }, { state: 'stale', kind: 'silent' }],
])('%s', (_name, given, expected) => {
  expect(judgeGpu(given)).toMatchObject(expected);
});
