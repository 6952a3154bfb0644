import type { LabelSet } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { sql } from '../../sql/index.ts';
import type { ReadOptions, SampleColumns, SampleRequest } from '../contract.ts';
import { milliseconds } from './conditions.ts';
import { readHistograms, withHistograms } from './histograms.ts';
import { float64, readBlocks, uint64 } from './read.ts';
import { findSeries } from './series.ts';

export async function readSamples(
  port: ClickHousePort,
  request: SampleRequest,
  read: ReadOptions,
): Promise<SampleColumns> {
  const found = await findSeries(port, request, read);
  if (found.ids.length === 0) return emptyColumns();
  const query = sql`SELECT series_id, toFloat64(toUnixTimestamp64Milli(ts)) AS time, value FROM samples
WHERE ${found.condition} AND ts > ${milliseconds(request.afterMs)} AND ts <= ${milliseconds(request.throughMs)}
ORDER BY series_id, ts`;
  const labelsOf = new Map(found.ids.map((id, i) => [id, found.labels[i] ?? []]));
  const builder = new ColumnsBuilder(labelsOf);
  const histograms = readHistograms(port, found, request, read);
  histograms.catch(() => undefined); // looked at below; the numbers may fail before
  for await (const block of readBlocks(port, query, read, { limit: 'samples', count: read.limits.samples })) {
    builder.add(uint64(block, 'series_id'), float64(block, 'time'), float64(block, 'value'));
  }
  return withHistograms(builder.finish(), builder.ids, await histograms, labelsOf);
}

function emptyColumns(): SampleColumns {
  return { series: [], offsets: new Uint32Array(1), timesMs: new Float64Array(0), values: new Float64Array(0) };
}

/**
 * Puts sorted blocks together as they arrive, one sample per series and millisecond. Samples are moved within their block
 * and copied once at the end.
 */
class ColumnsBuilder {
  private readonly labelsOf: ReadonlyMap<bigint, LabelSet>;
  /** In the order of the series. */
  readonly ids: bigint[] = [];
  private readonly parts: { times: Float64Array; values: Float64Array }[] = [];
  private readonly series: LabelSet[] = [];
  private readonly offsets: number[] = [];
  private size = 0;
  private lastLow = -1;
  private lastHigh = -1;
  private lastTime = Number.NaN;

  constructor(labelsOf: ReadonlyMap<bigint, LabelSet>) {
    this.labelsOf = labelsOf;
  }

  add(ids: BigUint64Array, times: Float64Array, values: Float64Array): void {
    // Comparing bigints row by row would make an object for each.
    const words = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
    let kept = 0;
    for (let i = 0; i < ids.length; i++) {
      const [low, high, time] = [words[2 * i] ?? 0, words[2 * i + 1] ?? 0, times[i] ?? 0];
      if (low !== this.lastLow || high !== this.lastHigh) {
        this.ids.push(ids[i] ?? 0n);
        this.series.push(this.labelsOf.get(ids[i] ?? 0n) ?? []);
        this.offsets.push(this.size + kept);
        this.lastLow = low;
        this.lastHigh = high;
      } else if (time === this.lastTime) {
        this.again(values, i, kept);
        continue;
      }
      this.lastTime = time;
      if (kept !== i) {
        times[kept] = time;
        values.copyWithin(kept, i, i + 1);
      }
      kept++;
    }
    this.parts.push({ times: times.subarray(0, kept), values: values.subarray(0, kept) });
    this.size += kept;
  }

  /**
   * A second sample at the time of the one before: the larger value counts, and any number before NaN, which is what the
   * engine's own grids do.
   */
  private again(values: Float64Array, index: number, kept: number): void {
    const [place, at] = kept > 0 ? [values, kept - 1] : this.lastPlace();
    const [candidate, current] = [values[index] ?? 0, place[at] ?? 0];
    if (candidate > current || (Number.isNaN(current) && !Number.isNaN(candidate))) place[at] = candidate;
  }

  private lastPlace(): [Float64Array, number] {
    const values = this.parts.findLast((part) => part.values.length > 0)?.values ?? new Float64Array(1);
    return [values, values.length - 1];
  }

  finish(): SampleColumns {
    const timesMs = new Float64Array(this.size);
    const values = new Float64Array(this.size);
    let at = 0;
    for (const part of this.parts) {
      timesMs.set(part.times, at);
      values.set(part.values, at);
      at += part.times.length;
    }
    return { series: this.series, offsets: Uint32Array.from([...this.offsets, this.size]), timesMs, values };
  }
}
