import { expect, it } from 'vitest';
import { changesQuery, signalQuery } from './queries.ts';
import { resolveRange } from './range.ts';

const NOW = Date.parse('2026-12-01T12:30:07Z');
const key = (now: number, from = 'now-1h', back = 0) => {
  const range = resolveRange({ from }, now);
  return JSON.stringify(
    signalQuery(
      { name: 'inference.ttft', entity: 'workload:a/b/c', stat: 'p95' },
      { ...range, from: range.from - back, to: range.to - back },
    ).queryKey,
  );
};

it('names a moving window by its distance from now, so that a tick asks the same question again', () => {
  expect(key(NOW)).toBe(key(NOW + 30_000));
  expect(key(NOW)).not.toBe(key(NOW, 'now-3h'));
});

it('keeps windows of one length apart by where they lie', () => {
  expect(key(NOW)).not.toBe(key(NOW, 'now-1h', 3_600_000));
});

it('names a fixed window by its times', () => {
  const fixed = (to: string) =>
    JSON.stringify(changesQuery({}, resolveRange({ from: '2026-12-01T10:00:00Z', to }, NOW)).queryKey);
  expect(fixed('2026-12-01T11:00:00Z')).not.toBe(fixed('2026-12-01T11:30:00Z'));
});
