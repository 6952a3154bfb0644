import { expect, it } from 'vitest';
import { isStaleAt, type Series, type SignalBatch, setStaleAt } from '../../model/index.ts';
import { createSeriesPacker, createSeriesUnpacker } from './series-ids.ts';

function batchOf(...series: Series[]): SignalBatch {
  const values = new Float64Array(series.length);
  setStaleAt(values, 0);
  return {
    samples: {
      series,
      seriesOf: Uint32Array.from(series.keys()),
      timesMs: new Float64Array(series.length).fill(7),
      values,
    },
    metadata: [{ family: 'm', type: 'gauge', help: '', unit: '' }],
  };
}

it('sends the labels of a series once, and the other side has the same object each time', () => {
  const pack = createSeriesPacker();
  const unpack = createSeriesUnpacker();
  const over = (batch: SignalBatch) => {
    const packed = structuredClone(pack(batch));
    return { sent: packed.packed?.fresh.length, batch: unpack(packed) };
  };
  const a: Series = { labels: ['__name__', 'a'], cluster: 'prod-eu' };
  const b: Series = { labels: ['__name__', 'b'], cluster: 'prod-eu' };
  const first = over(batchOf(a));
  const second = over(batchOf(b, a));
  expect([first.sent, second.sent]).toEqual([1, 1]);
  expect(second.batch).toEqual(batchOf(b, a));
  expect(second.batch.samples?.series[1]).toBe(first.batch.samples?.series[0]);
  expect(isStaleAt(second.batch.samples?.values ?? new Float64Array(1), 0)).toBe(true);
  expect(over({ logs: [] }).batch).toEqual({ logs: [] });
});

it('a number that was never sent is a defect that is told', () => {
  const pack = createSeriesPacker();
  pack(batchOf({ labels: [], cluster: 'x' }));
  const series = { labels: ['__name__', 'a'], cluster: 'x' };
  pack(batchOf(series));
  expect(() => createSeriesUnpacker()(pack(batchOf(series)))).toThrow('series 1 was never sent');
});
