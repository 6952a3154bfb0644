import { compareLabels, type LabelSet, labelKey, METRIC_NAME, UNKNOWN_CLUSTER } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { joinSql, type Sql, sql, text } from '../../sql/index.ts';
import type { LabelRequest, Limited, ReadOptions } from '../contract.ts';
import { seriesCondition } from './conditions.ts';
import { readBlocks, texts } from './read.ts';
import { labelSets } from './series.ts';

export async function listSeries(
  port: ClickHousePort,
  request: LabelRequest,
  read: ReadOptions,
): Promise<Limited<LabelSet>> {
  const limit = askedFor(request, read);
  const query = sql`SELECT any(metric) AS found_metric, any(labels) AS found_labels FROM series
WHERE ${condition(request)} GROUP BY series_id LIMIT ${limit + 1}`;
  const found = new Map<string, LabelSet>();
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: limit + 1 })) {
    for (const labels of labelSets(block)) found.set(labelKey(labels), labels);
  }
  return cut([...found.values()].sort(compareLabels), limit);
}

export async function listLabelNames(
  port: ClickHousePort,
  request: LabelRequest,
  read: ReadOptions,
): Promise<Limited<string>> {
  const limit = askedFor(request, read);
  const query = sql`SELECT DISTINCT arrayJoin(arrayPushFront(mapKeys(labels), if(metric = '', '', ${text(METRIC_NAME)}))) AS item
FROM series WHERE ${condition(request)} LIMIT ${limit + 2}`;
  return listTexts(port, query, limit, read);
}

/** For `cluster` also the clusters that series without such a label are stored under, as matchers see them. */
export async function listLabelValues(
  port: ClickHousePort,
  request: LabelRequest & { name: string },
  read: ReadOptions,
): Promise<Limited<string>> {
  const limit = askedFor(request, read);
  const value =
    request.name === METRIC_NAME
      ? sql`metric`
      : request.name === 'cluster'
        ? sql`if(cluster = ${text(UNKNOWN_CLUSTER)}, labels['cluster'], cluster)`
        : sql`labels[${text(request.name)}]`;
  const query = sql`SELECT DISTINCT ${value} AS item FROM series WHERE ${condition(request)} LIMIT ${limit + 2}`;
  return listTexts(port, query, limit, read);
}

function condition({ selectors, scope, range }: LabelRequest): Sql {
  const window = range && { fromMs: range.from, toMs: range.to };
  if (selectors.length === 0) return seriesCondition([], scope, window);
  const any = selectors.map((matchers) => sql`(${seriesCondition(matchers, scope)})`);
  return sql`(${joinSql(any, ' OR ', sql`0`)}) AND ${seriesCondition([], scope, window)}`;
}

function askedFor({ limit }: LabelRequest, read: ReadOptions): number {
  return limit !== undefined && limit > 0 ? Math.min(limit, read.limits.series) : read.limits.series;
}

async function listTexts(port: ClickHousePort, query: Sql, limit: number, read: ReadOptions): Promise<Limited<string>> {
  const items: string[] = [];
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: limit + 2 }))
    items.push(...texts(block, 'item'));
  return cut(items.filter((item) => item !== '').sort(), limit);
}

function cut<T>(items: T[], limit: number): Limited<T> {
  return { items: items.slice(0, limit), truncated: items.length > limit };
}
