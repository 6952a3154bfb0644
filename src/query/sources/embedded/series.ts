import { type LabelSet, labelSet, METRIC_NAME, type Scope } from '../../../model/index.ts';
import type { ClickHousePort, ColumnBlock } from '../../../store/index.ts';
import { bind, type Sql, sql } from '../../sql/index.ts';
import { type Matcher, type ReadOptions, SourceLimitError } from '../contract.ts';
import { seriesCondition } from './conditions.ts';
import { readBlocks, texts, uint64 } from './read.ts';

/** The series that a selector finds, and how to name them to the tables of samples. */
export interface FoundSeries {
  ids: bigint[];
  /** Labels of the id at the same place. */
  labels: LabelSet[];
  metricIds: number[];
  /** A condition on `samples`, `histograms` and `exemplars` that holds for exactly these series. */
  condition: Sql;
  /** The ids are few enough to be sent as values. */
  sendable: boolean;
}

/** More ids than this are found again by the engine itself instead of being sent to it. */
const MAX_SENT_IDS = 20_000;

/** Series that may have samples in the window. */
export async function findSeries(
  port: ClickHousePort,
  request: { matchers: readonly Matcher[]; scope: Scope; afterMs: number; throughMs: number },
  read: ReadOptions,
): Promise<FoundSeries> {
  const where = seriesCondition(request.matchers, request.scope, { fromMs: request.afterMs, toMs: request.throughMs });
  const max = read.limits.series;
  const query = sql`SELECT series_id, any(metric_id) AS found_metric_id, any(metric) AS found_metric, any(labels) AS found_labels
FROM series WHERE ${where} GROUP BY series_id LIMIT ${max + 1}`;
  const ids: bigint[] = [];
  const labels: LabelSet[] = [];
  const metricIds = new Set<number>();
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: max + 1 })) {
    for (const id of uint64(block, 'series_id')) ids.push(id);
    for (const set of labelSets(block)) labels.push(set);
    for (const id of block.columns.get('found_metric_id') ?? []) metricIds.add(Number(id));
  }
  if (ids.length > max) throw new SourceLimitError('series', `the selector matches more than ${max} series: narrow it`);
  const sendable = ids.length <= MAX_SENT_IDS;
  const among = sendable ? sql`${bind('Array(UInt64)', ids)}` : sql`(SELECT series_id FROM series WHERE ${where})`;
  const condition = sql`metric_id IN ${bind('Array(UInt32)', [...metricIds])} AND series_id IN ${among}`;
  return { ids, labels, metricIds: [...metricIds], condition, sendable };
}

/** Label sets from the columns `found_metric` and `found_labels` (names of their own: an alias hides the column in WHERE). */
export function labelSets(block: ColumnBlock): LabelSet[] {
  const names = texts(block, 'found_metric');
  return Array.from(block.columns.get('found_labels') ?? [], (map, row) => {
    const pairs = map instanceof Map ? [...map] : [];
    return labelSet([[METRIC_NAME, names[row] ?? ''], ...pairs]);
  });
}
