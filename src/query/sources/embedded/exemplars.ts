import { type Exemplar, type LabelSet, labelSet } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { sql } from '../../sql/index.ts';
import type { ExemplarRequest, ReadOptions } from '../contract.ts';
import { milliseconds } from './conditions.ts';
import { float64, readBlocks, uint64 } from './read.ts';
import { findSeries } from './series.ts';

/** Exemplars of the series that any of the selectors finds; one that came twice is one. */
export async function readExemplars(
  port: ClickHousePort,
  request: ExemplarRequest,
  read: ReadOptions,
): Promise<Exemplar[]> {
  const { scope, range } = request;
  const exemplars: Exemplar[] = [];
  const done = new Set<bigint>();
  for (const matchers of request.selectors) {
    const found = await findSeries(port, { matchers, scope, afterMs: range.from - 1, throughMs: range.to }, read);
    if (found.ids.length === 0) continue;
    const labelsOf = new Map(found.ids.map((id, i) => [id, found.labels[i] ?? []]));
    const query = sql`SELECT DISTINCT series_id, toFloat64(toUnixTimestamp64Milli(ts)) AS time, value, labels FROM exemplars
WHERE ${found.condition} AND ts >= ${milliseconds(range.from)} AND ts <= ${milliseconds(range.to)}
ORDER BY series_id, time, value`;
    const rows = { limit: 'samples', count: read.limits.samples } as const;
    for await (const block of readBlocks(port, query, read, rows)) {
      const [times, values] = [float64(block, 'time'), float64(block, 'value')];
      for (const [row, id] of uint64(block, 'series_id').entries()) {
        if (done.has(id)) continue;
        const series = { labels: labelsOf.get(id) ?? [], cluster: '' };
        const labels = labelsIn(block.columns.get('labels')?.[row]);
        exemplars.push({ series, timeMs: times[row] ?? 0, value: values[row] ?? 0, labels });
      }
    }
    for (const id of found.ids) done.add(id);
  }
  return exemplars;
}

function labelsIn(value: unknown): LabelSet {
  return value instanceof Map ? labelSet([...value].map(([name, text]) => [String(name), String(text)] as const)) : [];
}
