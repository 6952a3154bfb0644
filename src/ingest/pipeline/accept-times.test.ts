import { expect, test } from 'vitest';
import { type AcceptedTimes, explainTime, judgeTime, timeWindow } from './accept-times.ts';

const DAY = 86_400_000;
const NOW = 1_760_000_000_000;
const keptDays = { metrics: 30, logs: 3, traces: 'forever', objects: 90 } as const;

test.each<[string, AcceptedTimes, 'metrics' | 'logs' | 'traces', number, string | undefined]>([
  ['recent', { pastMs: 7 * DAY, futureMs: 60_000 }, 'metrics', 0, undefined],
  ['before what is let in', { pastMs: 7 * DAY, futureMs: 60_000, keptDays }, 'metrics', -8 * DAY, 'ingest.accept.past'],
  ['before what is kept', { pastMs: 7 * DAY, futureMs: 60_000, keptDays }, 'logs', -4 * DAY, 'retention.logs'],
  ['any time, kept for ever', { pastMs: 'any', futureMs: 60_000, keptDays }, 'traces', -NOW, undefined],
  ['any time, but not kept', { pastMs: 'any', futureMs: 60_000, keptDays }, 'metrics', -31 * DAY, 'retention.metrics'],
])('%s', (_, accepted, signal, offset, bound) => {
  const window = timeWindow(accepted, NOW, signal);
  const verdict = judgeTime(NOW + offset, window);
  expect(verdict).toBe(bound === undefined ? undefined : 'too_old');
  if (bound !== undefined) expect(explainTime('too_old', NOW + offset, window)).toContain(`(${bound})`);
});

test('what is too far ahead is too new', () => {
  const window = timeWindow({ pastMs: 'any', futureMs: 60_000 }, NOW, 'logs');
  expect(judgeTime(NOW + 60_001, window)).toBe('too_new');
});
