import type { LabelSet } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { sql } from '../../sql/index.ts';
import type { ReadOptions, SampleColumns, SampleRequest } from '../contract.ts';
import { milliseconds } from './conditions.ts';
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
  const blocks: Block[] = [];
  for await (const block of readBlocks(port, query, read, { limit: 'samples', count: read.limits.samples })) {
    blocks.push({ ids: uint64(block, 'series_id'), times: float64(block, 'time'), values: float64(block, 'value') });
  }
  return assemble(blocks, new Map(found.ids.map((id, i) => [id, found.labels[i] ?? []])));
}

interface Block {
  ids: BigUint64Array;
  times: Float64Array;
  values: Float64Array;
}

function emptyColumns(): SampleColumns {
  return { series: [], offsets: new Uint32Array(1), timesMs: new Float64Array(0), values: new Float64Array(0) };
}

/** Puts sorted blocks together, one sample per series and millisecond. */
function assemble(blocks: readonly Block[], labelsOf: ReadonlyMap<bigint, LabelSet>): SampleColumns {
  const rows = blocks.reduce((sum, block) => sum + block.ids.length, 0);
  const timesMs = new Float64Array(rows);
  const values = new Float64Array(rows);
  const series: LabelSet[] = [];
  const offsets: number[] = [];
  let size = 0;
  let [lastLow, lastHigh] = [-1, -1];
  for (const block of blocks) {
    // Comparing bigints row by row would make an object for each.
    const words = new Uint32Array(block.ids.buffer, block.ids.byteOffset, block.ids.length * 2);
    for (let i = 0; i < block.ids.length; i++) {
      const [low, high] = [words[2 * i] ?? 0, words[2 * i + 1] ?? 0];
      const time = block.times[i] ?? 0;
      if (low !== lastLow || high !== lastHigh) {
        [lastLow, lastHigh] = [low, high];
        series.push(labelsOf.get(block.ids[i] ?? 0n) ?? []);
        offsets.push(size);
      } else if (time === timesMs[size - 1]) {
        if (isPreferred(block.values[i] ?? 0, values[size - 1] ?? 0)) copyBits(block.values, i, values, size - 1);
        continue;
      }
      timesMs[size] = time;
      copyBits(block.values, i, values, size);
      size++;
    }
  }
  return {
    series,
    offsets: Uint32Array.from([...offsets, size]),
    timesMs: timesMs.subarray(0, size),
    values: values.subarray(0, size),
  };
}

/** Of several values at one millisecond the larger one, and any number before NaN: what the engine's own grids do. */
function isPreferred(candidate: number, current: number): boolean {
  return candidate > current || (Number.isNaN(current) && !Number.isNaN(candidate));
}

/** Moves a value with its exact bits, which a stale marker needs. */
function copyBits(from: Float64Array, fromIndex: number, to: Float64Array, toIndex: number): void {
  const value = from[fromIndex] ?? 0;
  if (Number.isNaN(value)) to.set(from.subarray(fromIndex, fromIndex + 1), toIndex);
  else to[toIndex] = value;
}
