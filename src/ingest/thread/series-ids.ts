import type { SampleBatch, Series, SignalBatch } from '../../model/index.ts';

/**
 * Series that go to another thread again and again are sent once and then named by a number: a scrape brings the same ones
 * every time, and copying their labels would cost more than everything else. What is no longer held here is forgotten there.
 */
export interface PackedBatch extends Omit<SignalBatch, 'samples'> {
  packed?: PackedSamples;
}

interface PackedSamples extends Omit<SampleBatch, 'series'> {
  /** By index of the series in the batch. */
  ids: Uint32Array;
  fresh: { id: number; series: Series }[];
  /** Numbers that will not be used again. */
  gone: number[];
}

/** For the side that sends. The receiver must see every pack, in order. */
export function createSeriesPacker(): (batch: SignalBatch) => PackedBatch {
  const ids = new WeakMap<Series, number>();
  let nextId = 0;
  let gone: number[] = [];
  const collected = new FinalizationRegistry<number>((id) => gone.push(id));
  return ({ samples, ...rest }) => {
    if (samples === undefined) return rest;
    const fresh: PackedSamples['fresh'] = [];
    const { series, ...columns } = samples;
    const idsOfBatch = Uint32Array.from(series, (one) => {
      const known = ids.get(one);
      if (known !== undefined) return known;
      const id = nextId++;
      ids.set(one, id);
      collected.register(one, id);
      fresh.push({ id, series: one });
      return id;
    });
    const packed = { ...columns, ids: idsOfBatch, fresh, gone };
    gone = [];
    return { ...rest, packed };
  };
}

/** For the side that receives: the same series is the same object each time. */
export function createSeriesUnpacker(): (batch: PackedBatch) => SignalBatch {
  const known = new Map<number, Series>();
  return ({ packed, ...rest }) => {
    if (packed === undefined) return rest;
    const { ids, fresh, gone, ...columns } = packed;
    for (const id of gone) known.delete(id);
    for (const { id, series } of fresh) known.set(id, series);
    const series = Array.from(ids, (id) => {
      const found = known.get(id);
      if (found === undefined) throw new Error(`series ${id} was never sent`);
      return found;
    });
    return { ...rest, samples: { ...columns, series } };
  };
}
