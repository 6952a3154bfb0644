import { labelSet, labelValue, type MetricMetadata, type SampleBatch, type Series } from '../../../model/index.ts';
import type { Rejection } from '../../sink.ts';
import { createTurns } from '../../turns.ts';
import { noteMetadata, PageError, type PageFormat, PageReader, type SeriesMark } from '../scrape/index.ts';
import { type BytesCache, createBytesCache, SampleBuilder } from '../wire/index.ts';

export interface DecodedText {
  samples: SampleBatch;
  metadata: MetricMetadata[];
  /** Samples that were decoded. */
  count: number;
  invalid: Rejection[];
}

/**
 * Samples with the times that stand beside them. A line that is none, or that has no time, is counted and left out. Series
 * are remembered between bodies, so that their labels are decoded once.
 */
export function createTextDecoder(): (body: Buffer, format: PageFormat) => Promise<DecodedText> {
  // By the bytes of name and labels; the type tells whether some of them are numbers.
  const known: Record<SeriesMark, BytesCache<Series>> = {
    h: createBytesCache(),
    s: createBytesCache(),
    '-': createBytesCache(),
  };
  return async (body, format) => {
    const reader = new PageReader(body, format);
    const view = new DataView(body.buffer, body.byteOffset, body.length);
    const turns = createTurns();
    const samples = new SampleBuilder();
    const metadata = new Map<string, MetricMetadata>();
    /** Of this body: indexes in the batch, so that a series stands in it once. */
    const indexes = new Map<Series, number>();
    const bad = { count: 0, example: '' };
    const refuse = (example: string) => {
      bad.count++;
      bad.example ||= example;
    };
    const newSeries = (): Series => {
      const labels = labelSet(reader.labels());
      return { labels, cluster: labelValue(labels, 'cluster') || 'unknown' };
    };
    const indexOfSeries = () => {
      const series = known[reader.mark].of(view, reader.seriesStart, reader.seriesEnd, newSeries);
      let index = indexes.get(series);
      if (index === undefined) {
        index = samples.addSeries(series);
        indexes.set(series, index);
      }
      return index;
    };
    /** Index of the series of the line before; none after a line that was refused. */
    let current: number | undefined;
    const take = () => {
      const before = reader.repeats ? current : undefined;
      current = undefined;
      if (reader.timeMs === undefined) return refuse(`${reader.key.slice(1, 300)} has no time, which an import needs`);
      current = before ?? indexOfSeries();
      samples.add(current, reader.timeMs, reader.value);
    };
    for (let entries = 1; ; entries++) {
      if (entries % 1024 === 0 && turns.over()) await turns.next();
      try {
        const entry = reader.next();
        if (entry === 'end') break;
        if (entry === 'series') take();
        else noteMetadata(metadata, reader, entry);
      } catch (error) {
        if (!(error instanceof PageError)) throw error;
        // A part of a file does not end with "# EOF".
        if (reader.exhausted) break;
        current = undefined;
        refuse(error.message);
      }
    }
    const invalid: Rejection[] = bad.count === 0 ? [] : [{ signal: 'samples', reason: 'invalid', ...bad }];
    return { samples: samples.finish(), metadata: [...metadata.values()], count: samples.length, invalid };
  };
}
