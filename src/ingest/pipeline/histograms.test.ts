import { describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { type Exemplar, labelSetFrom, type NativeHistogram, type Series, staleHistogram } from '../../model/index.ts';
import { createCardinalityLimiter, createPipeline, createRedactor, defaultCardinalityLimits } from './index.ts';

const now = 1_760_000_000_000;
const DAY = 86_400_000;
const histogram: NativeHistogram = { ...staleHistogram, stale: false, count: 1, sum: 2 };

function start(limits = {}) {
  const clock = manualClock(now);
  const limiter = createCardinalityLimiter({ ...defaultCardinalityLimits, ...limits }, clock);
  const accept = { pastMs: 7 * DAY, futureMs: 600_000 };
  const pipeline = createPipeline({ clock, accept, redactor: createRedactor(), limiter });
  return (histograms: [Series, timeMs: number][], exemplars: Exemplar[] = []) => {
    const series = [...new Set(histograms.map(([one]) => one))];
    const batch = {
      series,
      seriesOf: Uint32Array.from(histograms, ([one]) => series.indexOf(one)),
      timesMs: Float64Array.from(histograms, ([, time]) => time),
      values: histograms.map(() => histogram),
      startsMs: Float64Array.from(histograms, (_, i) => i),
    };
    return pipeline.run({ histograms: batch, exemplars }, { protocol: 'remote-write', cluster: 'prod' });
  };
}

const series = (labels: Record<string, string>): Series => ({ labels: labelSetFrom(labels), cluster: 'unknown' });
const exemplar = (of: Series, labels: Record<string, string>, timeMs = now): Exemplar => ({
  series: of,
  timeMs,
  value: 1,
  labels: labelSetFrom(labels),
});

describe('native histograms', () => {
  test('keep their columns together when some are refused', async () => {
    const [a, b] = [series({ __name__: 'a' }), series({ __name__: 'b', x: 'y'.repeat(5000) })];
    const { batch, rejected } = await start()([
      [a, now - 8 * DAY],
      [b, now],
      [a, now],
      [a, now + DAY],
      [a, now + 1],
    ]);
    expect(batch.histograms).toEqual({
      series: [{ labels: a.labels, cluster: 'prod' }],
      seriesOf: Uint32Array.of(0, 0),
      timesMs: Float64Array.of(now, now + 1),
      startsMs: Float64Array.of(2, 4),
      values: [histogram, histogram],
    });
    expect(rejected).toEqual([
      expect.objectContaining({ signal: 'samples', histograms: true, reason: 'too_old', count: 1 }),
      expect.objectContaining({ signal: 'samples', histograms: true, reason: 'too_new', count: 1 }),
      expect.objectContaining({ signal: 'samples', histograms: true, reason: 'limit_labels', count: 1 }),
    ]);
  });
});

describe('exemplars', () => {
  const a = series({ __name__: 'a' });
  test.each([
    ['long ago', exemplar(a, {}, 0), 'too_old'],
    ['from the future', exemplar(a, {}, now + DAY), 'too_new'],
    ['with very long labels', exemplar(a, { x: 'y'.repeat(2048) }), 'limit_labels'],
    ['of a series that is refused', exemplar(series({ __name__: 'b', x: 'y'.repeat(5000) }), {}), 'limit_labels'],
  ])('%s are refused, and their neighbours kept', async (_title, bad, reason) => {
    const { batch, rejected } = await start()([], [exemplar(a, {}), bad, exemplar(a, {})]);
    expect(batch.exemplars).toHaveLength(2);
    expect(rejected).toEqual([expect.objectContaining({ signal: 'exemplars', reason, count: 1 })]);
  });

  test('have no secrets in their labels, and the cluster of their series', async () => {
    const { batch } = await start()([], [exemplar(a, { url: 'https://u:secret@host/', trace_id: 'abc' })]);
    const [kept] = batch.exemplars ?? [];
    expect(kept?.series.cluster).toBe('prod');
    expect(kept?.labels.join()).toContain('[redacted:');
    expect(kept?.labels.join()).not.toContain('secret@');
    expect(kept?.labels.join()).toContain('trace_id,abc');
  });
});
