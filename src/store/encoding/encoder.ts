import type { Clock } from '../../base/index.ts';
import type { SignalBatch } from '../../model/index.ts';
import type { TableName } from '../clickhouse/schema/tables.ts';
import { appearances, encodeExemplars } from './exemplars.ts';
import { encodeHistograms } from './histograms.ts';
import { encodeLogs } from './logs.ts';
import { encodeMetadata, MetadataRegister } from './metadata.ts';
import { encodeObjects } from './objects.ts';
import { encodeSamples, newSeries } from './samples.ts';
import { encodeSeries, SeriesRegister, type SeriesRow, seriesId } from './series.ts';
import { encodeSpans } from './spans.ts';
import { encodeStarts, type StartRow, StartsRegister } from './starts.ts';

/** Rows of one table as one Native block. */
export interface EncodedBlock {
  table: TableName;
  block: Buffer;
}

export interface EncodedBatch {
  blocks: EncodedBlock[];
  /** To be called once the blocks are on disk: what they introduced need not be written again. */
  stored(): void;
}

/** Turns batches into blocks of the tables. Remembers which series and metadata are stored already. */
export interface BatchEncoder {
  encode(batch: SignalBatch): EncodedBatch;
  /** Something stored was lost: introduce everything again. */
  forget(): void;
}

export function createBatchEncoder(clock: Clock): BatchEncoder {
  const series = new SeriesRegister();
  const metadata = new MetadataRegister();
  const starts = new StartsRegister();
  return {
    encode(batch) {
      const blocks: EncodedBlock[] = [];
      const onStored: (() => void)[] = [];
      const { samples, lateSamples, histograms, exemplars } = batch;
      const sampleIds = samples?.series.map(seriesId) ?? [];
      const lateIds = lateSamples?.series.map(seriesId) ?? [];
      const histogramIds = histograms?.series.map(seriesId) ?? [];
      const named = appearances(exemplars ?? []);
      const rows: readonly SeriesRow[] = [
        samples === undefined ? [] : newSeries(samples, sampleIds, series),
        lateSamples === undefined ? [] : newSeries(lateSamples, lateIds, series),
        histograms === undefined ? [] : newSeries(histograms, histogramIds, series),
        newSeries(named, named.series.map(seriesId), series),
      ].flat();
      const startRows: readonly StartRow[] = [
        samples === undefined ? [] : starts.due(samples, sampleIds),
        lateSamples === undefined ? [] : starts.due(lateSamples, lateIds),
        histograms === undefined ? [] : starts.due(histograms, histogramIds),
      ].flat();
      if (rows.length > 0) {
        blocks.push({ table: 'series', block: encodeSeries(rows) });
        onStored.push(() => series.stored(rows));
      }
      if (samples?.values.length) blocks.push({ table: 'samples', block: encodeSamples(samples, sampleIds) });
      if (lateSamples?.values.length)
        blocks.push({ table: 'samples_late', block: encodeSamples(lateSamples, lateIds) });
      if (histograms?.values.length) {
        blocks.push({ table: 'histograms', block: encodeHistograms(histograms, histogramIds) });
      }
      if (exemplars?.length) blocks.push({ table: 'exemplars', block: encodeExemplars(exemplars) });
      if (startRows.length > 0) {
        blocks.push({ table: 'series_starts', block: encodeStarts(startRows) });
        onStored.push(() => starts.stored(startRows));
      }
      const now = clock.now();
      const due = metadata.due(batch.metadata ?? [], now);
      if (due.length > 0) {
        blocks.push({ table: 'metric_metadata', block: encodeMetadata(due, now) });
        onStored.push(() => metadata.stored(due, now));
      }
      if (batch.logs?.length) blocks.push({ table: 'logs', block: encodeLogs(batch.logs) });
      if (batch.spans?.length) blocks.push({ table: 'spans', block: encodeSpans(batch.spans) });
      if (batch.objects?.length) blocks.push({ table: 'object_versions', block: encodeObjects(batch.objects) });
      return {
        blocks,
        stored: () => {
          for (const done of onStored) done();
        },
      };
    },
    forget() {
      series.forget();
      metadata.forget();
      starts.forget();
    },
  };
}
