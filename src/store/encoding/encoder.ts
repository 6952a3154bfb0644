import type { Clock } from '../../base/index.ts';
import type { SignalBatch } from '../../model/index.ts';
import type { TableName } from '../clickhouse/schema/tables.ts';
import { encodeLogs } from './logs.ts';
import { encodeMetadata, MetadataRegister } from './metadata.ts';
import { encodeObjects } from './objects.ts';
import { encodeSamples } from './samples.ts';
import { encodeSeries, SeriesRegister } from './series.ts';
import { encodeSpans } from './spans.ts';

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
  return {
    encode(batch) {
      const blocks: EncodedBlock[] = [];
      const onStored: (() => void)[] = [];
      if (batch.samples && batch.samples.values.length > 0) {
        const { samples, newSeries } = encodeSamples(batch.samples, series);
        if (newSeries.length > 0) {
          blocks.push({ table: 'series', block: encodeSeries(newSeries) });
          onStored.push(() => series.stored(newSeries));
        }
        blocks.push({ table: 'samples', block: samples });
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
    },
  };
}
